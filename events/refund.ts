import type { Answer } from '../domain/answers.ts';
import { ServiceError } from '../domain/errors.ts';
import type { RefundRequest, SealedRefund } from '../domain/refund.ts';
import { maxRefundsPerOrder, refusals } from '../domain/refusals.ts';
import type { Origin } from '../domain/request.ts';
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
import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import { sealUnderNewKey } from '../models/store/data-keys.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import type { EventsDeps } from './deps.ts';
import { tracedBy } from './traced-by.ts';

export type AskedRefund = Origin & {
  type: 'REFUND';
  externalOrderId: string;
  externalRefundId: string;
};

/** What came of recording: the event that is new, or what the record answers instead. */
type Recorded = { event: OrderEventDoc } | { answer: Answer };

/**
 * Records a refund and decides it, or finds what was decided: two reads and two writes, the refund's
 * event and then the reward's move, which names it. The answer follows from the two, so that it is the
 * same whenever it is asked for; the workflow carries out behind it what the move asks for
 * (docs/domain.md, Refunds, claims and decisions).
 * @throws ServiceError ORIGINAL_PURCHASE_NOT_FOUND
 */
export async function reportRefund(
  deps: EventsDeps,
  origin: Origin,
  request: RefundRequest,
): Promise<Answer> {
  const { models, earlierEvents, rewards } = deps;
  const { externalOrderId, externalRefundId = `refund:${externalOrderId}` } = request;
  const asked = { ...origin, type: 'REFUND' as const, externalOrderId, externalRefundId };
  const earlier = await earlierEvents.find(asked);
  const { byKey, purchase } = earlier;
  if (!byKey && !purchase) throw unknownPurchase(externalOrderId, origin);
  const found = foundInRecord(earlier, asked);
  if (found?.kind === 'REFUSED') return found;
  if (found) return await repeat(deps, origin, found.event);
  if (!purchase) throw unknownPurchase(externalOrderId, origin);
  const bought = { ...origin, purchaseEventId: purchase._id };
  const reward = await findOrCreateReward(models, bought, rewards.find);
  const recorded = await record(deps, asked, request, { purchase, reward });
  return 'answer' in recorded ? recorded.answer : await decide(deps, recorded.event, reward);
}

/** A repeat of what was recorded: where it was not decided, it is decided here, as it would have been. */
async function repeat(deps: EventsDeps, origin: Origin, event: Repeatable): Promise<Answer> {
  if (isAnswered(event)) return answeredBy(event);
  const { partnerId } = origin;
  const stored = await deps.models.orderEvents.collection.findOne<OrderEventDoc>({
    partnerId,
    _id: event._id as never,
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

/** How often refunds of one order may race for the same number. */
const maxRaces = maxRefundsPerOrder + 1;

/**
 * Inserts the refund's event, marked and undecided. Its unique indexes decide among racers: on the key,
 * on the refund's id, and on its number among the refunds of the order.
 */
async function record(
  deps: EventsDeps,
  asked: AskedRefund,
  request: RefundRequest,
  of: { purchase: EarlierEvent; reward: RewardDoc },
): Promise<Recorded> {
  const { models, insertEvent } = deps;
  const ofOrder = { ...asked, purchaseEventId: of.purchase._id };
  // The reward names its refunds; one that is recorded and not decided is met by the index.
  let seq = of.reward.moves.filter(({ move }) => move === 'REFUND').length + 1;
  for (let race = 0; race < maxRaces; race++) {
    if (seq > maxRefundsPerOrder) return { answer: refusals.tooManyRefunds(of.purchase) };
    const event = refundEvent(deps, asked, request, of, seq);
    if (await insertOnce(() => insertEvent(event))) return { event };
    const found = foundInRecord(await findEarlierEvents(models, asked), asked);
    if (found?.kind === 'REFUSED') return { answer: found };
    if (found) return { answer: await repeat(deps, asked, found.event) };
    seq = (await newestRefundSeq(models, ofOrder)) + 1;
  }
  throw new Error(`too many refunds of ${of.purchase._id} at once`);
}

/** The event of a refund, marked and undecided. */
export function refundEvent(
  { sealer }: Pick<EventsDeps, 'sealer'>,
  asked: AskedRefund,
  request: RefundRequest,
  { purchase, reward }: { purchase: EarlierEvent; reward: RewardDoc },
  refundSeq: number,
): OrderEventDoc {
  const receivedAt = new Date(asked.receivedAt);
  const _id = newId('event', receivedAt.getTime());
  const { reason, metadata, occurredAt } = request;
  const secret: SealedRefund = { reason: reason ?? null, metadata: metadata ?? null };
  return {
    _id,
    ...asked,
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
