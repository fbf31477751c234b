import { ServiceError } from '../../domain/errors.ts';
import { customerStatusOf, refundStatusOf, statusOf } from '../../domain/reward.ts';
import {
  type DecidedRefundEvent,
  findDecidedRefunds,
} from '../../models/rewards/decided-refunds.ts';
import { findReward } from '../../models/rewards/find-reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { isIdOf } from '../../platform/ids.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readReceipt } from '../../views/receipt.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * GET rewards/{rewardId}: the reward of a purchase. Unlike the other GETs, concurrent requests do not
 * share a response, because each usually reads a different reward.
 * @throws ServiceError NOT_FOUND if it does not exist, or belongs to another partner or mode
 */
export function getReward({ models }: Pick<ApiDeps, 'models'>): ApiMiddleware {
  return async (ctx) => {
    const { partnerId, mode } = requireState(ctx, 'principal');
    const { rewardId = '' } = ctx.params;
    const reward = await findReward(models, { partnerId, mode, rewardId });
    if (reward === null) {
      const message = `You have no reward with this id in ${mode} mode. Use the id in the response to the purchase.`;
      throw new ServiceError('NOT_FOUND', message);
    }
    ctx.state.externalOrderId = reward.externalOrderId;
    const refunds = await findDecidedRefunds(models, partnerId, [reward]);
    ctx.body = { success: true, mode, reward: presentReward(reward, refunds) };
  };
}

/**
 * GET rewards/{rewardId}/receipt: what proves the entries of a LIVE reward without trust in the service.
 * @throws ServiceError NOT_FOUND if it does not exist, or no entry of it is under a tree head yet
 */
export function getReceipt({
  models,
  sealer,
  config,
}: Pick<ApiDeps, 'models' | 'sealer' | 'config'>): ApiMiddleware {
  return async (ctx) => {
    const { partnerId: _id, mode } = requireState(ctx, 'principal');
    const { rewardId = '' } = ctx.params;
    const isReward = mode === 'LIVE' && isIdOf('reward', rewardId);
    const receipt = isReward
      ? await readReceipt({ models, sealer, config }, scopeOf({ _id }), rewardId)
      : null;
    if (receipt === null) {
      throw new ServiceError(
        'NOT_FOUND',
        mode === 'LIVE'
          ? 'There is no receipt of a reward of yours with this id. A receipt exists once money was set aside for the reward and the day’s tree head was signed: ask again tomorrow.'
          : 'Receipts are of LIVE rewards only.',
      );
    }
    ctx.body = { success: true, mode, receipt };
  };
}

/** A reward as its partner sees it (docs/integrate/reconciliation.md, Reads). */
export function presentReward(reward: RewardDoc, refunds: readonly DecidedRefundEvent[]) {
  return {
    id: reward._id,
    externalOrderId: reward.externalOrderId,
    points: reward.points,
    status: statusOf(reward.state),
    customerStatus: customerStatusOf(reward.state),
    claimExpiresAt: reward.claimExpiresAt.toISOString(),
    claimableFrom: reward.claimableFrom?.toISOString() ?? null,
    createdAt: reward.createdAt.toISOString(),
    updatedAt: reward.updatedAt.toISOString(),
    refunds: presentRefunds(reward, refunds),
    review: presentReview(reward),
  };
}

/** The refunds in the order of their decisions, each with the status of its response. */
function presentRefunds({ moves }: RewardDoc, refunds: readonly DecidedRefundEvent[]) {
  const events = new Map(refunds.map((event) => [event._id, event]));
  return moves.flatMap(({ refundEventId, state, amountCents = 0 }) => {
    const event = events.get(refundEventId ?? '');
    if (event === undefined) return [];
    const { externalRefundId, receivedAt } = event;
    return {
      externalRefundId,
      status: refundStatusOf(state),
      amountCents,
      receivedAt: receivedAt.toISOString(),
    };
  });
}

/** The newest review. Its status is taken from the reward's moves, so that the two never disagree. */
function presentReview({ review, moves }: RewardDoc) {
  if (review === null) return null;
  const decided = moves.find(
    ({ move, reviewId }) => reviewId === review.reviewId && move !== 'REFUND',
  );
  if (decided === undefined) return { status: 'OPEN', decidedAt: null };
  const status = decided.move === 'DISMISS' ? 'DISMISSED' : 'UPHELD';
  return { status, decidedAt: decided.at.toISOString() };
}
