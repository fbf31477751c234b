import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../domain/answers.ts';
import { purchaseAnswer } from '../domain/answers.ts';
import { claimExpiry } from '../domain/claim-window.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import { computePoints } from '../domain/points.ts';
import { liabilityCentsOf } from '../domain/postings.ts';
import type { PurchaseReport } from '../domain/purchase.ts';
import { answerFromRecord, findEarlierEvents } from '../models/events/order-events.ts';
import type { CustomerDay, OrderEventDoc } from '../models/schemas/order-event.ts';
import { insertNext } from '../models/store/insert-next.ts';
import type { EventsDeps } from './deps.ts';
import { tracedBy } from './traced-by.ts';

/** As long as a majority may take to have what one server has. */
const racePauseMs = 10;
/** How often purchases of one customer may race for the same place in the day. */
const maxCustomerDayRaces = 20;

/** What recording came to: the event that is new, or what the record answers instead. */
export type Recording = { event: RecordedPurchase } | { answer: Answer };
/** A purchase is recorded with its answer. */
export type RecordedPurchase = OrderEventDoc & { answer: string };

/**
 * Records a purchase: one insert, which holds all that the reward is made from and the answer. Its
 * unique indexes decide among racers; whoever loses is answered with what stands.
 * @param rule the active rule that applies
 * @throws Error when one customer buys more often at once than their day can be counted
 */
export async function recordPurchase(
  deps: Pick<EventsDeps, 'models' | 'sealer'>,
  report: PurchaseReport,
  rule: EarningRule,
): Promise<Recording> {
  const { models } = deps;
  const cap = rule.capPerCustomerDayPoints;
  const dayKey = `${report.mode}/${report.customerId}/${report.receivedAt.slice(0, 10)}`;
  return await insertNext({
    newest: async () =>
      cap === null ? null : await customerDayHead(models, report.partnerId, dayKey),
    next: (head) => ({ event: purchaseEvent(report, rule, head) }),
    insert: ({ event }) => models.orderEvents.collection.insertOne(event as never),
    async existing() {
      const asked = { ...report, type: 'PURCHASE' as const };
      const answer = await answerFromRecord(deps, await findEarlierEvents(models, asked), asked);
      if (answer) return { answer };
      // Another purchase of this customer took the place in the day; or what took the key or the order
      // is so new that a majority does not have it yet.
      await delay(racePauseMs);
      return undefined;
    },
    maxRaces: maxCustomerDayRaces,
    allLost: () => new Error('too many purchases of one customer at once'),
  });
}

/** What the customer's day holds so far: the newest event of the chain. */
async function customerDayHead(
  models: EventsDeps['models'],
  partnerId: string,
  key: string,
): Promise<CustomerDay> {
  const newest = await models.orderEvents
    .findOne({ partnerId, 'purchase.customerDay.key': key })
    .sort({ 'purchase.customerDay.seq': -1 })
    .lean();
  return newest?.purchase?.customerDay ?? { key, seq: 0, totalPoints: 0 };
}

/**
 * The event of a purchase, with its answer.
 * @param head what the customer's day holds, where the rule caps it
 */
export function purchaseEvent(
  report: PurchaseReport,
  rule: EarningRule,
  head: CustomerDay | null,
): RecordedPurchase {
  const { eventId, rewardId, customerId, delivery, claimTokenHash, currency, ...others } = report;
  const { subtotalCents, ...rest } = others;
  const cap = rule.capPerCustomerDayPoints;
  const left = cap === null || head === null ? null : Math.max(0, cap - head.totalPoints);
  const purchasedAtMs = Date.parse(report.occurredAt ?? report.receivedAt);
  const arithmetic = computePoints(rule, subtotalCents, purchasedAtMs, left);
  const { points } = arithmetic;
  const claimExpiresAt = claimExpiry(report.receivedAt, rule.claimWindow);
  const receivedAt = new Date(report.receivedAt);
  return {
    ...rest,
    _id: eventId,
    type: 'PURCHASE',
    rewardId,
    purchaseEventId: eventId,
    receivedAt,
    occurredAt: report.occurredAt === null ? null : new Date(report.occurredAt),
    answer: JSON.stringify(purchaseAnswer(report, { rewardId, points, claimExpiresAt })),
    purchase: {
      currency,
      customerId,
      delivery,
      claimTokenHash,
      claimExpiresAt: new Date(claimExpiresAt),
      arithmetic,
      liabilityCents: liabilityCentsOf(points, rule.pointValueMicros),
      customerDay: head && {
        key: head.key,
        seq: head.seq + 1,
        totalPoints: head.totalPoints + points,
      },
    },
    externalRefundId: null,
    pendingSince: receivedAt,
    ...tracedBy(),
  };
}
