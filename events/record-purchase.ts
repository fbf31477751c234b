import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, purchaseAnswer } from '../domain/answers.ts';
import { claimExpiry, type EarningRule } from '../domain/earning-rules.ts';
import { computePoints } from '../domain/points.ts';
import { liabilityCentsOf } from '../domain/postings.ts';
import type { PurchaseReport } from '../domain/purchase.ts';
import { answerFromRecord, findEarlierEvents } from '../models/events/order-events.ts';
import type { CustomerDay, OrderEventDoc } from '../models/schemas/events.ts';
import { insertNext } from '../models/store/insert-next.ts';
import type { EventsDeps } from './deps.ts';
import { tracedBy } from './traced-by.ts';

/** Long enough for a majority to replicate a write. */
const racePauseMs = 10;
/** The most races of concurrent purchases of one customer for the next place in their day. */
const maxCustomerDayRaces = 20;

/** The result of recording: the new event, or the response from an earlier one. */
export type Recording = { event: RecordedPurchase } | { answer: Answer };
/** A purchase is recorded together with its response. */
export type RecordedPurchase = OrderEventDoc & { answer: string };

/**
 * Records a purchase in one insert, which contains everything the reward is made from and the
 * response. Its unique indexes decide between concurrent requests; the loser gets the response of
 * the stored event.
 * @param rule the active rule that applies
 * @throws Error if one customer makes more concurrent purchases than can be counted
 */
export async function recordPurchase(
  deps: Pick<EventsDeps, 'models' | 'sealer' | 'insertEvent'>,
  report: PurchaseReport,
  rule: EarningRule,
): Promise<Recording> {
  const { models, insertEvent } = deps;
  const cap = rule.capPerCustomerDayPoints;
  const dayKey = `${report.mode}/${report.customerId}/${report.receivedAt.slice(0, 10)}`;
  return await insertNext({
    newest: async () =>
      cap === null ? null : await customerDayHead(models, report.partnerId, dayKey),
    next: (head) => ({ event: purchaseEvent(report, rule, head) }),
    insert: ({ event }) => insertEvent(event),
    async existing() {
      const newEvent = { ...report, type: 'PURCHASE' as const };
      const answer = await answerFromRecord(
        deps,
        await findEarlierEvents(models, newEvent),
        newEvent,
      );
      if (answer) return { answer };
      // Another purchase of the customer took the next place in their day, or the event that took
      // the key or the order is too new for a majority to have it.
      await delay(racePauseMs);
      return undefined;
    },
    maxRaces: maxCustomerDayRaces,
    allLost: () => new Error('too many purchases of one customer at once'),
  });
}

/** The customer's points so far on a day, from the newest event of the chain. */
async function customerDayHead(
  models: EventsDeps['models'],
  partnerId: string,
  key: string,
): Promise<CustomerDay> {
  const newest = await models.orderEvents
    .findOne({ partnerId, 'purchase.customerDay.key': key })
    .sort({ 'purchase.customerDay.seq': -1 });
  return newest?.purchase?.customerDay ?? { key, seq: 0, totalPoints: 0 };
}

/**
 * The event of a purchase, with its response.
 * @param head the customer's points so far on the day, if the rule caps them
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
