import Joi from 'joi';
import { presentRedemption } from '../../domain/answers.ts';
import { ServiceError } from '../../domain/errors.ts';
import { leftCentsOf } from '../../domain/refunds.ts';
import { type RewardStatus, rewardStatuses } from '../../domain/reward.ts';
import { releaseOrder } from '../../events/release.ts';
import { findRedemptionsOfOrders } from '../../models/events/redemptions.ts';
import {
  type DecidedRefundEvent,
  findDecidedRefunds,
} from '../../models/rewards/decided-refunds.ts';
import { findOrders, type OfIntegration } from '../../models/rewards/find-orders.ts';
import { findRewardOfOrder, type RequestedOrder } from '../../models/rewards/find-reward.ts';
import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { type ApiContext, type ApiMiddleware, type BodyHandler, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import {
  changeQueryOf,
  customerOfSearch,
  type ListRequest,
  listParameters,
  listRequestOf,
  nextCursorOf,
  type SearchRequest,
  searchSchema,
} from './lists.ts';
import { presentReward } from './rewards.ts';

type OrdersDeps = Pick<ApiDeps, 'models' | 'config'>;

/**
 * GET orders/{externalOrderId}: an order as it is now, by the shop's own id.
 * @throws ServiceError NOT_FOUND unless the credential's integration reported it in its mode
 */
export function getOrder({ models }: Pick<ApiDeps, 'models'>): ApiMiddleware {
  return async (ctx) => {
    const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
    const { externalOrderId = '' } = ctx.params;
    const asked = { partnerId, integrationId, mode, externalOrderId };
    await answerOrder(ctx, models, asked, await findRewardOfOrder(models, asked));
  };
}

export const releaseSchema = Joi.object<Record<string, never>, true>({}).required().label('body');

/**
 * POST orders/{externalOrderId}/release: ends the hold of an order, and answers as `getOrder` does; so does a repeat,
 * and for an order without a hold.
 * @throws ServiceError NOT_FOUND unless the credential's integration reported it in its mode
 */
export function postRelease(
  deps: Pick<ApiDeps, 'models' | 'commit' | 'now'>,
): BodyHandler<Record<string, never>> {
  return async (ctx) => {
    const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
    const { externalOrderId = '' } = ctx.params;
    const asked = { partnerId, integrationId, mode, externalOrderId };
    const found = await releaseOrder(deps, asked, new Date(deps.now()));
    await answerOrder(ctx, deps.models, asked, found);
  };
}

/** @throws ServiceError NOT_FOUND if no reward was found */
async function answerOrder(
  ctx: ApiContext,
  models: ApiDeps['models'],
  { externalOrderId, ...of }: RequestedOrder,
  found: RewardDoc | null,
): Promise<void> {
  const { mode } = of;
  if (found === null) {
    const message = `Your integration has reported no purchase with this externalOrderId in ${mode} mode. Send the id percent-encoded, as one segment of the path.`;
    throw new ServiceError('NOT_FOUND', message);
  }
  ctx.state.externalOrderId = externalOrderId;
  const [order] = await presentOrders(models, of, [found]);
  ctx.body = { success: true, mode, ...order };
}

const parameters = listParameters<RewardStatus>(rewardStatuses);

/** GET orders: the orders of the credential's integration in its mode, the newest change first. */
export function getOrders(deps: OrdersDeps): ApiMiddleware {
  return async (ctx) => {
    const of = requireState(ctx, 'principal');
    ctx.body = await readOrders(deps, of, listRequestOf(ctx, parameters));
  };
}

export const orderSearchSchema = searchSchema<RewardStatus>(rewardStatuses);

/** POST orders/search: the orders of a customer, the newest first. Stores nothing. */
export function postOrderSearch(deps: OrdersDeps): BodyHandler<SearchRequest<RewardStatus>> {
  return async (ctx, request) => {
    const of = requireState(ctx, 'principal');
    ctx.body = await readOrders(deps, of, request, customerOfSearch(deps, of, request));
  };
}

async function readOrders(
  { models }: OrdersDeps,
  { partnerId, integrationId, mode }: OfIntegration,
  { status, ...request }: ListRequest<RewardStatus>,
  customerId?: string,
) {
  const of = { partnerId, integrationId, mode };
  const page = await findOrders(models, of, { status, customerId }, changeQueryOf(request));
  const orders = await presentOrders(models, of, page.items);
  return { success: true, mode, orders, nextCursor: nextCursorOf(page) };
}

/** Orders as their partner sees them: two reads for all of them. */
async function presentOrders(
  models: ApiDeps['models'],
  of: OfIntegration,
  rewards: readonly RewardDoc[],
) {
  const ids = rewards.map(({ externalOrderId }) => externalOrderId);
  const [refunds, redemptions] = await Promise.all([
    findDecidedRefunds(models, of.partnerId, rewards),
    findRedemptionsOfOrders(models, of, ids),
  ]);
  return rewards.map((reward) =>
    presentOrder(reward, refunds, redemptions.get(reward.externalOrderId) ?? []),
  );
}

function presentOrder(
  found: RewardDoc,
  refundEvents: readonly DecidedRefundEvent[],
  redemptions: readonly RedemptionDoc[],
) {
  const { externalOrderId, currency, arithmetic, refundedCents } = found;
  const reward = presentReward(found, refundEvents);
  return {
    externalOrderId,
    currency,
    subtotalCents: arithmetic.subtotalCents,
    refundedCents,
    remainingCents: leftCentsOf(found),
    reward,
    refunds: reward.refunds,
    redemptions: redemptions.map(presentRedemption),
  };
}
