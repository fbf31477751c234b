import { type Answer, maxRefundsPerOrder, refusals } from '../domain/answers.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Origin, RefundRequest, SealedRefund } from '../domain/purchase.ts';
import {
  answeredBy,
  type EarlierEvent,
  findEarlierEvents,
  foundInRecord,
  isAnswered,
  newestRefundSeq,
  type Repeatable,
} from '../models/events/order-events.ts';
import { answerOfRefund } from '../models/events/refund-answer.ts';
import { findOrCreateReward } from '../models/rewards/create.ts';
import { decideRefund } from '../models/rewards/refund.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { sealUnderNewKey } from '../models/store/data-keys.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import type { EventsDeps } from './deps.ts';
import { tracedBy } from './traced-by.ts';

export type RefundReport = Origin & {
  type: 'REFUND';
  externalOrderId: string;
  externalRefundId: string;
};

/** The result of recording: the new event, or the response to an earlier one. */
type Recorded = { event: OrderEventDoc } | { answer: Answer };

/**
 * Records a refund and decides it, or finds the earlier decision. This costs two reads and two writes: the
 * refund's event, and then the reward's move, which names it. The response follows from the two, so that it
 * is always the same; the workflow carries out the move after the response (docs/domain.md, Refunds,
 * claims and decisions).
 * @throws ServiceError ORIGINAL_PURCHASE_NOT_FOUND
 */
export async function reportRefund(
  deps: EventsDeps,
  origin: Origin,
  request: RefundRequest,
): Promise<Answer> {
  const { models, earlierEvents, rewards } = deps;
  const { externalOrderId, externalRefundId = `refund:${externalOrderId}` } = request;
  const report = { ...origin, type: 'REFUND' as const, externalOrderId, externalRefundId };
  const earlier = await earlierEvents.find(report);
  const { byKey, purchase } = earlier;
  if (!byKey && !purchase) throw unknownPurchase(externalOrderId, origin);
  const found = foundInRecord(earlier, report);
  if (found?.kind === 'REFUSED') return found;
  if (found) return await repeat(deps, origin, found.event);
  if (!purchase) throw unknownPurchase(externalOrderId, origin);
  const bought = { ...origin, purchaseEventId: purchase._id };
  const reward = await findOrCreateReward(models, bought, rewards.find);
  const recorded = await record(deps, report, request, { purchase, reward });
  return 'answer' in recorded ? recorded.answer : await decide(deps, recorded.event, reward);
}

/** The response to a retry. If the recorded refund is not decided yet, decides it. */
async function repeat(deps: EventsDeps, origin: Origin, event: Repeatable): Promise<Answer> {
  if (isAnswered(event)) return answeredBy(event);
  const { partnerId } = origin;
  const stored = await deps.models.orderEvents.collection.findOne({
    partnerId,
    _id: event._id,
  });
  if (!stored) throw new Error(`${event._id} is gone`);
  return await decide(deps, stored, await findOrCreateReward(deps.models, stored));
}

/**
 * Decides a recorded refund. A worker's sweep finds the reward marked as pending, and signals its workflow.
 * @param read the reward, as it was read
 */
async function decide(deps: EventsDeps, event: OrderEventDoc, read: RewardDoc): Promise<Answer> {
  const { models, config, earlierEvents, rewards } = deps;
  const decided = await decideRefund(models, event, read, config.reviewDueMs, rewards.move);
  const answered = { ...event, answer: answerOfRefund(event, decided) };
  earlierEvents.remember(answered);
  return answeredBy(answered);
}

/** Maximum number of lost races of one order's refunds for the same sequence number. */
const maxRaces = maxRefundsPerOrder + 1;

/**
 * Inserts the refund's event, pending and undecided. Unique indexes decide races: on the idempotency key,
 * on the refund's id, and on its sequence number among the refunds of the order.
 */
async function record(
  deps: EventsDeps,
  report: RefundReport,
  request: RefundRequest,
  of: { purchase: EarlierEvent; reward: RewardDoc },
): Promise<Recorded> {
  const { models, insertEvent } = deps;
  const ofOrder = { ...report, purchaseEventId: of.purchase._id };
  // The reward only has the decided refunds; the index refuses the number of an undecided one.
  let seq = of.reward.moves.filter(({ move }) => move === 'REFUND').length + 1;
  for (let race = 0; race < maxRaces; race++) {
    if (seq > maxRefundsPerOrder) return { answer: refusals.tooManyRefunds(of.purchase) };
    const event = refundEvent(deps, report, request, of, seq);
    if (await insertOnce(() => insertEvent(event))) return { event };
    const found = foundInRecord(await findEarlierEvents(models, report), report);
    if (found?.kind === 'REFUSED') return { answer: found };
    if (found) return { answer: await repeat(deps, report, found.event) };
    seq = (await newestRefundSeq(models, ofOrder)) + 1;
  }
  throw new Error(`too many refunds of ${of.purchase._id} at once`);
}

/** The event of a refund, pending and undecided. */
export function refundEvent(
  { sealer }: Pick<EventsDeps, 'sealer'>,
  report: RefundReport,
  request: RefundRequest,
  { purchase, reward }: { purchase: EarlierEvent; reward: RewardDoc },
  refundSeq: number,
): OrderEventDoc {
  const receivedAt = new Date(report.receivedAt);
  const _id = newId('event', receivedAt.getTime());
  const { reason, metadata, occurredAt } = request;
  const secret: SealedRefund = { reason: reason ?? null, metadata: metadata ?? null };
  return {
    _id,
    ...report,
    rewardId: reward._id,
    purchaseEventId: purchase._id,
    workflowId: purchase.workflowId,
    receivedAt,
    occurredAt: occurredAt === undefined ? null : new Date(occurredAt),
    ...sealUnderNewKey(sealer, JSON.stringify(secret), _id),
    answer: null,
    purchase: null,
    customerId: reward.customerId,
    refundSeq,
    rewardPoints: reward.points,
    pendingSince: receivedAt,
    ...tracedBy(),
  };
}

function unknownPurchase(externalOrderId: string, { mode }: Pick<Origin, 'mode'>): ServiceError {
  return new ServiceError(
    'ORIGINAL_PURCHASE_NOT_FOUND',
    `No purchase with externalOrderId ${JSON.stringify(externalOrderId)} has been reported by this integration in ${mode} mode.`,
  );
}
