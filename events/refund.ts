import {
  type Answer,
  maxRefundsPerOrder,
  refundAnswer,
  refusals,
  refused,
} from '../domain/answers.ts';
import type { Draft } from '../domain/draft.ts';
import { ServiceError } from '../domain/errors.ts';
import { begun, leaveToPolicy, putToOperators, refund } from '../domain/facts.ts';
import { walletOf } from '../domain/postings.ts';
import {
  defaultRefundId,
  type Origin,
  type RefundRequest,
  type SealedRefund,
} from '../domain/purchase.ts';
import { holdingsIn } from '../domain/redemption-facts.ts';
import {
  judge,
  type PolicyCase,
  type PolicyRef,
  type RefundPolicy,
  upholds,
  upholdsAtOf,
} from '../domain/refund-policy.ts';
import { leftCentsOf, lossOf, type RefundedPart, reviewedCentsOf } from '../domain/refunds.ts';
import { reviewIdOf } from '../domain/review.ts';
import type { Reward } from '../domain/reward.ts';
import { answeredBy, type EarlierEvent, findEarlierEvents } from '../models/events/order-events.ts';
import { findReward } from '../models/rewards/find-reward.ts';
import { findActivePolicy, leftToPolicy } from '../models/rewards/refund-policies.ts';
import { findRule, toEarningRule } from '../models/rewards/rules.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import { reviewAnnounced } from '../models/webhooks/announcements.ts';
import { newId } from '../platform/ids.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import { answerOnce } from './answer-once.ts';
import type { EventsDeps } from './deps.ts';
import type { PartnerTerms } from './partner-terms.ts';

/** The partner's terms that apply to a refund. */
export type RefundTerms = Pick<PartnerTerms, 'hasRefundPolicy'>;

export type RefundReport = Origin & {
  type: 'REFUND';
  externalOrderId: string;
  externalRefundId: string;
};

/**
 * Records a refund, or finds its stored response: one read, and one commit with the refund's event and
 * response, the reward's move and the money that comes back (docs/concepts/how-it-works.md, Refunds, claims and decisions). A purchase that has not started begins in the same commit. A part of an order also reads the
 * rule that it earned by. With a refund policy, that and what it asks for are read, too.
 * @throws ServiceError ORIGINAL_PURCHASE_NOT_FOUND
 */
export async function reportRefund(
  deps: EventsDeps,
  origin: Origin,
  request: RefundRequest,
  terms: RefundTerms,
): Promise<Answer> {
  const { externalOrderId, externalRefundId = defaultRefundId(externalOrderId) } = request;
  const report = { ...origin, type: 'REFUND' as const, externalOrderId, externalRefundId };
  return await answerOnce(
    () => findEarlierEvents(deps, report),
    async ({ purchase }) => {
      if (!purchase) throw unknownPurchase(externalOrderId, origin);
      const [part, asked] = await Promise.all([
        partOf(deps, request, purchase),
        terms.hasRefundPolicy ? askedOf(deps, report, purchase) : null,
      ]);
      return await recordRefund(deps, report, request, { purchase, part, asked });
    },
  );
}

async function partOf(
  { models }: EventsDeps,
  { amountCents }: RefundRequest,
  { purchase }: EarlierEvent,
): Promise<RefundedPart | undefined> {
  if (amountCents === undefined || purchase === null) return undefined;
  return { amountCents, rule: toEarningRule(await findRule(models, purchase.arithmetic.ruleId)) };
}

interface Refunded {
  purchase: EarlierEvent;
  /** Absent for all that is left. */
  part: RefundedPart | undefined;
  asked: Asked | null;
}

async function recordRefund(
  deps: EventsDeps,
  report: RefundReport,
  request: RefundRequest,
  { purchase, part, asked }: Refunded,
): Promise<Answer> {
  const { partnerId, receivedAt } = report;
  const { reviewDueMs } = deps.config;
  const event = refundEvent(deps, report, request, purchase);
  const { _id: refundEventId } = event;
  const review = { reviewId: reviewIdOf(refundEventId), openedAt: receivedAt, dueMs: reviewDueMs };
  return await deps.commit({
    partnerId,
    wallet: walletOf(report),
    rewardIds: [purchase.rewardId],
    ...(asked && { readsHoldings: true, spenderIds: [asked.customerId] }),
    decide(draft, terms): Answer {
      const reward = begun(draft, purchase.rewardId, terms);
      const before = reward.moves.filter((move) => move.refundEventId !== undefined).length;
      if (before >= maxRefundsPerOrder) throw refused(refusals.tooManyRefunds(purchase));
      const leftCents = leftCentsOf(reward);
      const amountCents = part?.amountCents ?? leftCents;
      const { currency } = reward;
      if (amountCents > leftCents) {
        throw refused(refusals.refundExceedsOrder(purchase, { leftCents, currency }));
      }
      const holds = asked && holdingsIn(draft, asked.customerId);
      const refundedReward = refund(draft, reward, terms, { refundEventId, review, part });
      const policy =
        asked && holds && policyFor(draft, refundedReward, { ...asked, holds, refundEventId });
      const after = policy ? leaveToPolicy(draft, refundedReward, policy) : refundedReward;
      writeReview(draft, after, { refundEventId, dueMs: reviewDueMs, policy });
      const { points } = after;
      const refunded = { externalRefundId: report.externalRefundId, amountCents };
      const answer = answerOf(event, refunded, after);
      const stored: OrderEventDoc = { ...event.stored, answer, amountCents, rewardPoints: points };
      draft.insert('orderEvents', stored);
      return answeredBy(stored);
    },
  });
}

/** What a refund of a claimed reward is asked of a policy with. */
interface Asked {
  policy: RefundPolicy;
  customerId: string;
  purchasedAt: Date;
  /** The customer's refunds that were left to a policy before. */
  earlier: { reviewId: string; openedAt: Date }[];
}

/** Null without a policy in force, or if the reward was not claimed. */
async function askedOf(
  { models }: EventsDeps,
  { partnerId, mode, receivedAt }: RefundReport,
  { _id, rewardId }: EarlierEvent,
): Promise<Asked | null> {
  const policy = await findActivePolicy(models, partnerId, mode);
  const reward = policy && (await findReward(models, { partnerId, mode, rewardId }));
  if (policy === null || reward?.state !== 'AVAILABLE') return null;
  const { customerId } = reward;
  const at = new Date(receivedAt);
  const [earlier, purchase] = await Promise.all([
    leftToPolicy(models, { partnerId, mode, customerId }, at),
    models.orderEvents.findOne({ partnerId, _id }, { occurredAt: 1 }).orFail(),
  ]);
  return { policy, customerId, purchasedAt: purchase.occurredAt ?? reward.createdAt, earlier };
}

/**
 * How the review that a refund has opened is left to a policy; undefined if an operator decides. Refunds that were
 * left to a policy lately are still in review, so that the commit sees those that were reported at the same time.
 */
function policyFor(
  draft: Draft,
  reward: Reward,
  {
    policy,
    customerId,
    purchasedAt,
    earlier,
    holds,
    refundEventId,
  }: Asked & { holds: PolicyCase['holds']; refundEventId: string },
): PolicyRef | undefined {
  const { state, review, updatedAt: refundedAt, afterReview } = reward;
  const isOpened = state === 'IN_REVIEW' && review?.reviewId === reviewIdOf(refundEventId);
  if (!isOpened || reward.customerId !== customerId) return undefined;
  const running = [...draft.rewards.values()].flatMap((one) =>
    one.customerId === customerId && one._id !== reward._id && one.review?.policy
      ? [{ reviewId: one.review.reviewId, openedAt: new Date(one.review.openedAt) }]
      : [],
  );
  const before = new Map(
    [...earlier, ...running].map(({ reviewId, openedAt }) => [reviewId, openedAt]),
  );
  const lost = lossOf(reward, afterReview);
  const conditions = judge(policy, {
    lost,
    holds,
    earlier: [...before.values()],
    purchasedAt,
    refundedAt,
  });
  if (!upholds(conditions)) return undefined;
  const { policyId } = policy;
  return { policyId, customerId, upholdsAt: upholdsAtOf(policy, refundedAt), conditions };
}

/** The response to a refund, as JSON. */
function answerOf(
  { _id: eventId, stored: { mode, externalOrderId } }: ReturnType<typeof refundEvent>,
  refunded: Parameters<typeof refundAnswer>[1],
  { _id: rewardId, points, state }: Reward,
): string {
  const recorded = { mode, eventId, externalOrderId };
  return JSON.stringify(refundAnswer(recorded, refunded, { rewardId, points, state }));
}

/** The event of a refund, without its response. */
function refundEvent(
  { sealer }: Pick<EventsDeps, 'sealer'>,
  report: RefundReport,
  request: RefundRequest,
  purchase: EarlierEvent,
) {
  const receivedAt = new Date(report.receivedAt);
  const _id = newId('event', receivedAt.getTime());
  const { reason, metadata, occurredAt } = request;
  const secret: SealedRefund = { reason: reason ?? null, metadata: metadata ?? null };
  const traceparent = currentTraceparent();
  const stored: Omit<OrderEventDoc, 'answer'> = {
    _id,
    ...report,
    rewardId: purchase.rewardId,
    purchaseEventId: purchase._id,
    workflowId: purchase.workflowId,
    receivedAt,
    occurredAt: occurredAt === undefined ? null : new Date(occurredAt),
    sealed: sealer.seal(JSON.stringify(secret), _id),
    due: null,
    purchase: null,
    ...(traceparent !== undefined && { traceparent }),
  };
  return { _id, stored };
}

/**
 * Opens the review of a refund or, if the reward has one open, puts what it is about now in it: one that was left to
 * a policy is then put to operators.
 */
function writeReview(
  draft: Draft,
  reward: Reward,
  {
    refundEventId,
    dueMs,
    policy,
  }: { refundEventId: string; dueMs: number; policy: PolicyRef | null | undefined },
): void {
  const { partnerId, state, review, afterReview } = reward;
  if (state !== 'IN_REVIEW' || review === null) return;
  const about = { amountCents: reviewedCentsOf(reward), ...lossOf(reward, afterReview) };
  if (review.reviewId === reviewIdOf(refundEventId)) {
    const made = reviewOf(reward, about, refundEventId, dueMs);
    const opened = policy ? { ...made, status: 'BY_POLICY' as const, policy } : made;
    draft.insert('reviews', opened);
    if (opened.mode === 'LIVE' && !policy)
      draft.announce(reviewAnnounced('review.waiting', opened));
  } else {
    const filter = { partnerId, _id: review.reviewId };
    if (review.policy === undefined) {
      draft.update({ of: 'reviews', filter, change: { $set: about } });
      return;
    }
    putToOperators(draft, reward);
    draft.update({ of: 'reviews', filter, change: { $set: { ...about, status: 'OPEN' } } });
    if (reward.mode !== 'LIVE') return;
    const opened = reviewOf(reward, about, refundEventId, dueMs);
    draft.announce(reviewAnnounced('review.waiting', { ...opened, _id: review.reviewId }));
  }
}

function reviewOf(
  reward: Reward,
  about: Pick<ReviewDoc, 'amountCents' | 'points' | 'liabilityCents'>,
  refundEventId: string,
  dueMs: number,
): ReviewDoc {
  const { partnerId, mode, _id: rewardId, externalOrderId, workflowId, updatedAt } = reward;
  return {
    _id: reviewIdOf(refundEventId),
    partnerId,
    mode,
    rewardId,
    refundEventId,
    externalOrderId,
    ...about,
    workflowId,
    status: 'OPEN',
    openedAt: updatedAt,
    dueAt: new Date(updatedAt.getTime() + dueMs),
    rounds: 1,
    decision: null,
  };
}

function unknownPurchase(externalOrderId: string, { mode }: Pick<Origin, 'mode'>): ServiceError {
  return new ServiceError(
    'ORIGINAL_PURCHASE_NOT_FOUND',
    `No purchase with externalOrderId ${JSON.stringify(externalOrderId)} has been reported by this integration in ${mode} mode. If it is on its way, send the same refund again, with the same Idempotency-Key, once it is accepted.`,
  );
}
