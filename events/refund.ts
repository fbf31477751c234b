import {
  type Answer,
  maxRefundsPerOrder,
  refundAnswer,
  refusals,
  refused,
} from '../domain/answers.ts';
import type { Draft } from '../domain/draft.ts';
import { ServiceError } from '../domain/errors.ts';
import { begun, refund } from '../domain/facts.ts';
import { walletOf } from '../domain/postings.ts';
import {
  defaultRefundId,
  type Origin,
  type RefundRequest,
  type SealedRefund,
} from '../domain/purchase.ts';
import { leftCentsOf, lossOf, type RefundedPart, reviewedCentsOf } from '../domain/refunds.ts';
import { reviewIdOf } from '../domain/review.ts';
import type { Reward } from '../domain/reward.ts';
import { answeredBy, type EarlierEvent, findEarlierEvents } from '../models/events/order-events.ts';
import { findRule, toEarningRule } from '../models/rewards/rules.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import { reviewAnnounced } from '../models/webhooks/announcements.ts';
import { newId } from '../platform/ids.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import { answerOnce } from './answer-once.ts';
import type { EventsDeps } from './deps.ts';

export type RefundReport = Origin & {
  type: 'REFUND';
  externalOrderId: string;
  externalRefundId: string;
};

/**
 * Records a refund, or finds its stored response: one read, and one commit with the refund's event and
 * response, the reward's move and the money that comes back (docs/concepts/how-it-works.md, Refunds, claims and decisions). A purchase that has not started begins in the same commit. A part of an order also reads the
 * rule that it earned by.
 * @throws ServiceError ORIGINAL_PURCHASE_NOT_FOUND
 */
export async function reportRefund(
  deps: EventsDeps,
  origin: Origin,
  request: RefundRequest,
): Promise<Answer> {
  const { externalOrderId, externalRefundId = defaultRefundId(externalOrderId) } = request;
  const report = { ...origin, type: 'REFUND' as const, externalOrderId, externalRefundId };
  return await answerOnce(
    () => findEarlierEvents(deps, report),
    async ({ purchase }) => {
      if (!purchase) throw unknownPurchase(externalOrderId, origin);
      const part = await partOf(deps, request, purchase);
      return await recordRefund(deps, report, request, { purchase, part });
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
}

async function recordRefund(
  deps: EventsDeps,
  report: RefundReport,
  request: RefundRequest,
  { purchase, part }: Refunded,
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
      const after = refund(draft, reward, terms, { refundEventId, review, part });
      writeReview(draft, after, refundEventId, reviewDueMs);
      const { points } = after;
      const refunded = { externalRefundId: report.externalRefundId, amountCents };
      const answer = answerOf(event, refunded, after);
      const stored: OrderEventDoc = { ...event.stored, answer, amountCents, rewardPoints: points };
      draft.insert('orderEvents', stored);
      return answeredBy(stored);
    },
  });
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

/** Opens the review of a refund or, if the reward has one open, puts what it is about now in it. */
function writeReview(draft: Draft, reward: Reward, refundEventId: string, dueMs: number): void {
  const { partnerId, state, review, afterReview } = reward;
  if (state !== 'IN_REVIEW' || review === null) return;
  const about = { amountCents: reviewedCentsOf(reward), ...lossOf(reward, afterReview) };
  if (review.reviewId === reviewIdOf(refundEventId)) {
    const opened = reviewOf(reward, about, refundEventId, dueMs);
    draft.insert('reviews', opened);
    if (opened.mode === 'LIVE') draft.announce(reviewAnnounced('review.waiting', opened));
  } else {
    const filter = { partnerId, _id: review.reviewId };
    draft.update({ of: 'reviews', filter, change: { $set: about } });
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
