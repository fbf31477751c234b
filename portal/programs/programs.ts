import { Router } from '@koa/router';
import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { customerStatusOf, statusOf } from '../../domain/reward.ts';
import { routing } from '../../http/context.ts';
import { limitField, type PageQuery, pageParameters } from '../../http/query.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { check } from '../../platform/validation.ts';
import { findRequests } from '../../views/log.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readPartnerRewards } from '../../views/rewards.ts';
import type { PortalMiddleware, PortalState, ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { fieldsOf, schemaOf } from '../lists/filters.ts';
import { logFilters, type PlaceQuery, placeOf, placeParameters } from '../lists/log.ts';
import { notFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { rewardFilters } from '../partner/orders.ts';
import { defaultModeOf } from '../routing/modes.ts';
import type { Throttle } from '../session/throttle.ts';
import { makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';
import {
  authenticateProgram,
  isProgram,
  mayRead,
  modeToRead,
  programOf,
  requireUserPermission,
  userOf,
} from './access.ts';
import { listenerRoutes } from './listeners.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';

const programModes = { mode: Joi.string().valid(...modes) };

interface LogQuery extends PlaceQuery {
  mode?: Mode;
  limit: number;
}

const logSchema = schemaOf(logFilters)
  .append<LogQuery>({
    ...programModes,
    ...placeParameters,
    limit: limitField(500).default(100),
  })
  .oxor('older', 'newer');

const rewardSchema = schemaOf(rewardFilters).append<PageQuery & { mode?: Mode }>({
  ...programModes,
  ...pageParameters,
});

/**
 * A page of a partner's log for a program: newest first or, after `newer`, oldest first.
 * @returns the events and the cursor of the next page; null at the end, which may move on later
 * @throws ServiceError VALIDATION_FAILED, naming the parameter; FORBIDDEN for a mode that is not a service
 *   account's
 */
export async function readLogAsJson(
  { models }: Pick<PortalDeps, 'models'>,
  program: ProgramViewer,
  query: unknown,
) {
  const { value, error } = logSchema.validate(query);
  if (error) throw new ServiceError('VALIDATION_FAILED', error.message);
  const { limit, mode, ...params } = value;
  const ofPartner = { partnerId: scopeOf(program.partner), mode: modeToRead(program, mode) };
  const filter = { ...fieldsOf(logFilters, params), ...ofPartner };
  const events = await findRequests(models, filter, limit, placeOf(params));
  const next = events.length < limit ? null : (events.at(-1)?._id ?? null);
  return { events: events.map(present), next };
}

/** A row of the log. If it represents several requests, its `count` rises until its minute ends. */
function present(event: LoggedRequest) {
  const { _id: id, receivedAt, mode, type, method, path, status, code, count } = event;
  const { externalOrderId, eventId, requestId, integrationId, credentialId } = event;
  return {
    id,
    receivedAt: receivedAt.toISOString(),
    mode,
    type,
    method,
    path,
    status,
    code,
    count,
    externalOrderId,
    eventId,
    requestId,
    integrationId,
    credentialId,
  };
}

/**
 * A page of a partner's rewards for a program, newest first.
 * @returns the rewards, and the cursor of the next page; null at the end
 * @throws ServiceError VALIDATION_FAILED, naming the parameter; FORBIDDEN for a mode that is not a service
 *   account's
 */
export async function readRewardsAsJson(
  deps: Pick<PortalDeps, 'models'>,
  program: ProgramViewer,
  query: object,
) {
  const { mode: wanted, ...params } = check(rewardSchema, query);
  const { partner } = program;
  const mode = modeToRead(program, wanted) ?? defaultModeOf(partner);
  const filter = { ...fieldsOf(rewardFilters, params), mode };
  const { items, nextCursor } = await readPartnerRewards(deps, scopeOf(partner), filter, params);
  return { rewards: items.map(presentReward), nextCursor };
}

/** The same data as in the page's CSV. */
function presentReward({
  _id: id,
  purchaseEventId: eventId,
  liabilityCents,
  ...reward
}: RewardDoc) {
  const { mode, externalOrderId, state, points, currency } = reward;
  const { claimExpiresAt, claimableFrom = null, customerId, integrationId, createdAt } = reward;
  return {
    id,
    mode,
    externalOrderId,
    status: statusOf(state),
    customerStatus: customerStatusOf(state),
    points,
    costCents: liabilityCents,
    currency,
    claimExpiresAt,
    claimableFrom,
    customerId,
    eventId,
    integrationId,
    createdAt,
  };
}

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
    router.post(
      `/orders/:rewardId/${name}`,
      requireUserPermission('test-event.send'),
      async (ctx) => {
        const { requestId } = ctx.state;
        const viewer = userOf(ctx.state);
        const actor = actorOf({ state: { viewer, requestId } });
        const reward = await makeTestMove(deps, actor, ctx.params.rewardId ?? '', name);
        const { _id: rewardId, state, externalOrderId, points } = reward;
        const status = statusOf(state);
        const customerStatus = customerStatusOf(state);
        ctx.body = {
          success: true,
          mode: 'TEST',
          reward: { id: rewardId, status, customerStatus, externalOrderId, points },
        };
      },
    );
  }

  listenerRoutes(router, deps);
  webhookEndpointRoutes(router, deps);

  const find = routing(router);
  const answer = router.routes();
  const programs: PortalMiddleware = async (ctx, next) => {
    if (!isProgram(ctx)) return await next();
    ctx.state.program = await authenticateProgram(deps, throttle, ctx);
    await find(ctx, () =>
      answer(ctx as never, async () => {
        throw notFound();
      }),
    );
  };
  return Object.assign(programs, { router });
}
