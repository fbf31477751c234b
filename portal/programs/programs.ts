import { Router } from '@koa/router';
import { ServiceError } from '../../domain/errors.ts';
import { type PartnerPermission, partnerMay } from '../../domain/partner-roles.ts';
import { routing } from '../../http/routing.ts';
import { scopeOf } from '../../models/views/partner-scope.ts';
import type { PortalMiddleware, PortalState, ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { nothingHere, wellFormed } from '../middleware/well-formed.ts';
import { actorOf } from '../operate.ts';
import type { Throttle } from '../session/throttle.ts';
import { makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';
import { authenticateProgram } from './authenticate.ts';
import { isProgram } from './is-program.ts';
import { readLogAsJson } from './log.ts';

/**
 * What programs get, in JSON, at addresses that pages have too: the log, and the TEST clock of one
 * reward. Whatever has no line here is not theirs, however much their user may in a browser. A cookie
 * counts for nothing, so that no other site can ask in somebody's name.
 */
export function createPrograms(deps: PortalDeps, throttle: Throttle): PortalMiddleware {
  const router = new Router<PortalState>();

  router.get('/events', may('read'), async (ctx) => {
    const { partner } = programOf(ctx.state);
    ctx.body = { success: true, ...(await readLogAsJson(deps, scopeOf(partner), ctx.query)) };
  });

  for (const name of Object.keys(testMoves) as TestMoveName[]) {
    router.post(
      `/test-clock/:rewardId/${name}`,
      may('test-event.send'),
      wellFormed({ rewardId: 'testReward' }),
      async (ctx) => {
        const { requestId } = ctx.state;
        const viewer = programOf(ctx.state);
        const actor = actorOf({ state: { viewer, requestId } });
        const reward = await makeTestMove(deps, actor, ctx.params.rewardId ?? '', name);
        const { _id: rewardId, status, customerStatus, externalOrderId, points } = reward;
        ctx.body = {
          success: true,
          mode: 'TEST',
          reward: { id: rewardId, status, customerStatus, externalOrderId, points },
        };
      },
    );
  }

  const find = routing(router);
  const answer = router.routes();
  return async (ctx, next) => {
    if (!isProgram(ctx)) return await next();
    ctx.state.program = await authenticateProgram(deps, throttle, ctx);
    await find(ctx, () =>
      answer(ctx as never, async () => {
        throw nothingHere();
      }),
    );
  };
}

function programOf({ program }: Pick<PortalState, 'program'>): ProgramViewer {
  if (!program) throw new Error('nobody was asked for an access token');
  return program;
}

function may(permission: PartnerPermission) {
  return async ({ state }: { state: PortalState }, next: () => Promise<void>): Promise<void> => {
    const { role } = programOf(state);
    if (!partnerMay(role, permission)) {
      throw new ServiceError(
        'FORBIDDEN',
        `The role of this token’s user is ${role}, which may not do this.`,
      );
    }
    await next();
  };
}
