import { Router } from '@koa/router';
import { routing } from '../../http/context.ts';
import type { PortalMiddleware, PortalState } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { notFound } from '../middleware/well-formed.ts';
import { actorOf } from '../operate.ts';
import type { Throttle } from '../session/throttle.ts';
import { makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';
import { authenticateProgram } from './authenticate.ts';
import { isProgram } from './is-program.ts';
import { listenerRoutes } from './listeners.ts';
import { readLogAsJson } from './log.ts';
import { readRewardsAsJson } from './rewards.ts';
import { may, mayRead, programOf, userOf } from './viewer.ts';

/**
 * The JSON API for programs, at the addresses of pages: the log, the rewards, the TEST clock of a reward,
 * and the webhook events for a listening terminal. Routes not listed here are closed to programs, whatever
 * their user may do in a browser; service accounts can only use those that `mayRead` allows. Cookies are
 * ignored, so that no other site can send requests in a user's name.
 */
export function createPrograms(deps: PortalDeps, throttle: Throttle): PortalMiddleware {
  const router = new Router<PortalState>();

  router.get('/events', mayRead('log:read'), async (ctx) => {
    ctx.body = { success: true, ...(await readLogAsJson(deps, programOf(ctx.state), ctx.query)) };
  });
  router.get('/rewards', mayRead('rewards:read'), async (ctx) => {
    const read = await readRewardsAsJson(deps, programOf(ctx.state), ctx.query);
    ctx.body = { success: true, ...read };
  });

  for (const name of Object.keys(testMoves) as TestMoveName[]) {
    router.post(`/test-clock/:rewardId/${name}`, may('test-event.send'), async (ctx) => {
      const { requestId } = ctx.state;
      const viewer = userOf(ctx.state);
      const actor = actorOf({ state: { viewer, requestId } });
      const reward = await makeTestMove(deps, actor, ctx.params.rewardId ?? '', name);
      const { _id: rewardId, status, customerStatus, externalOrderId, points } = reward;
      ctx.body = {
        success: true,
        mode: 'TEST',
        reward: { id: rewardId, status, customerStatus, externalOrderId, points },
      };
    });
  }

  listenerRoutes(router, deps);

  const find = routing(router);
  const answer = router.routes();
  return async (ctx, next) => {
    if (!isProgram(ctx)) return await next();
    ctx.state.program = await authenticateProgram(deps, throttle, ctx);
    await find(ctx, () =>
      answer(ctx as never, async () => {
        throw notFound();
      }),
    );
  };
}
