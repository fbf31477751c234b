import { randomUUID } from 'node:crypto';
import { computePoints } from '../../../domain/points.ts';
import type { SealedPurchase, SealedRefund } from '../../../domain/purchase.ts';
import { reviewIdOf } from '../../../domain/review.ts';
import { toEarningRule } from '../../../models/rewards/rules.ts';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import type { RewardDoc } from '../../../models/schemas/rewards.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { createRule } from '../../../operations/earning-rules.ts';
import { createIntegration } from '../../../operations/integrations.ts';
import { newToken } from '../../../platform/hashing.ts';
import { newId } from '../../../platform/ids.ts';
import { operate } from '../../helpers/operate.ts';

export interface StoredReview {
  purchase: OrderEventDoc;
  refund: OrderEventDoc;
  reward: RewardDoc;
  review: ReviewDoc;
}

/**
 * Stores a purchase that was refunded after its reward was claimed, with the open review, but without a
 * workflow or ledger entries.
 * @param changes to the review; its mode, by default TEST, applies to all documents
 */
export async function storeReview(
  { deps }: { deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'> },
  { partnerId, mark }: { partnerId: string; mark: string },
  changes: Partial<ReviewDoc> = {},
): Promise<StoredReview> {
  const { models } = deps;
  const { mode = 'TEST' } = changes;
  const at = new Date(Date.now() - 3_600_000);
  const name = `${mark} shop`;
  // Reused, because the number of integrations per partner is limited.
  const integration =
    (await models.integrations.findOne({ partnerId, name })) ??
    (await operate(deps, createIntegration, { partnerId, name }));
  const fields = {
    partnerId,
    mode,
    currency: 'USD',
    kind: 'PER_AMOUNT',
    points: 10,
    unitCents: 100,
  } as const;
  const rule = toEarningRule(
    (await models.earningRules.findOne(fields)) ?? (await operate(deps, createRule, fields)),
  );
  const arithmetic = computePoints(rule, 4_990, at.getTime(), null);
  const externalOrderId = `${mark}-${randomUUID()}`;
  const rewardId = newId('reward');
  const customerId = `cus_${newToken().slice(0, 32)}`;
  const claim = { claimTokenHash: newToken(), claimExpiresAt: new Date(Date.now() + 86_400_000) };
  const workflowId = `${externalOrderId}/${mode}/abc`;
  const purchaseEventId = newId('event');
  const liabilityCents = arithmetic.points;
  const common = {
    partnerId,
    integrationId: integration._id,
    credentialId: newId('credential'),
    mode,
    externalOrderId,
    rewardId,
    purchaseEventId,
    workflowId,
    receivedAt: at,
    occurredAt: null,
  };
  const requestOf = (path: string) => ({
    idempotencyKeyHash: newToken(),
    payloadHash: newToken(),
    requestId: newId('request'),
    request: { method: 'POST', path, status: 201 },
    answer: '{"success":true}',
  });
  const bought: SealedPurchase = {
    email: `${mark}@customers.example`,
    phone: null,
    claimToken: newToken(),
    claimUrl: null,
    metadata: null,
  };
  const purchase: OrderEventDoc = {
    ...common,
    ...requestOf('/api/v1/partner/purchases'),
    _id: purchaseEventId,
    type: 'PURCHASE',
    due: null,
    externalRefundId: null,
    sealed: deps.sealer.seal(JSON.stringify(bought), purchaseEventId),
    purchase: {
      currency: 'USD',
      customerId,
      delivery: 'SERVICE',
      ...claim,
      claimWindow: 'P30D',
      arithmetic,
      liabilityCents,
      customerDay: null,
    },
  };
  const refundEventId = newId('event');
  const refunded: SealedRefund = { reason: `${mark} sent it back`, metadata: null };
  const refund: OrderEventDoc = {
    ...common,
    ...requestOf('/api/v1/partner/refunds'),
    _id: refundEventId,
    type: 'REFUND',
    due: null,
    externalRefundId: `refund:${externalOrderId}`,
    sealed: deps.sealer.seal(JSON.stringify(refunded), refundEventId),
    purchase: null,
  };
  const reviewId = reviewIdOf(refundEventId);
  const reward: RewardDoc = {
    _id: rewardId,
    partnerId,
    integrationId: integration._id,
    mode,
    purchaseEventId,
    externalOrderId,
    workflowId,
    due: null,
    customerId,
    currency: 'USD',
    ...claim,
    points: arithmetic.points,
    liabilityCents,
    arithmetic,
    state: 'IN_REVIEW',
    cancellation: null,
    review: { reviewId, openedAt: at.toISOString(), dueMs: 259_200_000 },
    version: 3,
    customerDay: null,
    claimWindow: 'P30D',
    countedIn: null,
    fundingNotice: null,
    refundedCents: arithmetic.subtotalCents,
    afterReview: null,
    createdAt: at,
    updatedAt: at,
    moves: [
      { move: 'FUND', at, state: 'FUNDED' },
      { move: 'CLAIM', at, state: 'AVAILABLE' },
      { move: 'REFUND', at, state: 'IN_REVIEW' },
    ],
  };
  const review: ReviewDoc = {
    _id: reviewId,
    partnerId,
    mode,
    rewardId,
    refundEventId,
    externalOrderId,
    amountCents: arithmetic.subtotalCents,
    points: reward.points,
    liabilityCents,
    workflowId,
    status: 'OPEN',
    openedAt: at,
    rounds: 1,
    dueAt: new Date(at.getTime() + 259_200_000),
    decision: null,
    ...changes,
  };
  await models.orderEvents.create([purchase, refund]);
  await models.rewards.create(reward);
  await models.reviews.create(review);
  return { purchase, refund, reward, review };
}
