import { type BackTest, createBackTest, type PastPurchase } from '../domain/back-test.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import { dayMs } from '../domain/utc-days.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { BackTestJob, JobProgress } from '../models/schemas/jobs.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { idBound, newId, timeOfId } from '../platform/ids.ts';
import { enqueueJob, type JobOwner, newJobOf } from './jobs.ts';

const pageEvents = 1_000;
const ofMode = { partnerId: 1, mode: 1, _id: -1 } as const;

type Purchase = Pick<
  OrderEventDoc,
  '_id' | 'externalOrderId' | 'integrationId' | 'type' | 'purchase' | 'receivedAt' | 'occurredAt'
>;

const fields = {
  externalOrderId: 1,
  integrationId: 1,
  type: 1,
  receivedAt: 1,
  occurredAt: 1,
  'purchase.currency': 1,
  'purchase.customerId': 1,
  'purchase.arithmetic.subtotalCents': 1,
} as const;

/**
 * Replays the purchases of a back-test, in the order in which they were received, under the active
 * rules and under the draft. Holds one page and the points of one day in memory.
 * @param tell called with the progress
 */
export async function replayPurchases(
  models: Models,
  { partnerId, mode, input: { rule, from, to } }: BackTestJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<BackTest> {
  const backTest = createBackTest(await findActiveRules(models, partnerId, mode), rule);
  const total = Math.round((to.getTime() - from.getTime()) / dayMs);
  const until = idBound('event', to.getTime());
  for (let after = idBound('event', from.getTime()); ; ) {
    const events = await models.orderEvents.collection
      .find<Purchase>(
        { partnerId, mode, _id: { $gt: after, $lt: until } },
        { projection: fields, sort: { _id: 1 }, limit: pageEvents, hint: ofMode },
      )
      .toArray();
    const purchases = events.filter(({ type }) => type === 'PURCHASE');
    const cameBackOf = await findCameBack(models, partnerId, purchases);
    for (const event of purchases) {
      backTest.take(pastPurchaseOf(event, cameBackOf.get(event._id)));
    }
    const last = events.at(-1);
    if (last === undefined) break;
    after = last._id;
    const done = Math.floor((timeOfId(after) - from.getTime()) / dayMs);
    await reportProgress({ done, total, of: 'DAYS' });
  }
  return backTest.result();
}

type CameBack = Pick<PastPurchase, 'refundedCents' | 'reviewedAt'>;

/** How much came back of each purchase, without what was dismissed, and when a review was first opened. */
async function findCameBack(
  { rewards }: Models,
  partnerId: string,
  purchases: readonly Purchase[],
): Promise<Map<string, CameBack>> {
  const found = await rewards.collection
    .find<Pick<RewardDoc, 'purchaseEventId' | 'refundedCents' | 'moves'>>(
      { partnerId, purchaseEventId: { $in: purchases.map(({ _id }) => _id) } },
      { projection: { purchaseEventId: 1, refundedCents: 1, 'moves.state': 1, 'moves.at': 1 } },
    )
    .toArray();
  return new Map(
    found.map(({ purchaseEventId, refundedCents, moves }) => {
      const opened = moves.find(({ state }) => state === 'IN_REVIEW');
      return [purchaseEventId, { refundedCents, reviewedAt: opened?.at.toISOString() ?? null }];
    }),
  );
}

function pastPurchaseOf(
  { purchase, _id, receivedAt, occurredAt, ...event }: Purchase,
  { refundedCents, reviewedAt }: CameBack = { refundedCents: 0, reviewedAt: null },
): PastPurchase {
  if (purchase === null) throw new Error(`${_id} is not a purchase`);
  return {
    eventId: _id,
    externalOrderId: event.externalOrderId,
    integrationId: event.integrationId,
    currency: purchase.currency,
    customerId: purchase.customerId,
    subtotalCents: purchase.arithmetic.subtotalCents,
    refundedCents,
    reviewedAt,
    receivedAt: receivedAt.toISOString(),
    occurredAt: occurredAt?.toISOString() ?? null,
  };
}

export const backTestDays = 90;

/**
 * Queues a back-test: what the purchases of the last 90 days would have earned and cost under a
 * version of a rule that is not active.
 * @param rule a stored version; its mode is that of the purchases, which may differ from its own
 * @throws ServiceError CONFLICT while a back-test is open
 */
export async function queueBackTest(
  { models, now }: { models: Models; now: () => number },
  owner: JobOwner,
  rule: EarningRule,
): Promise<BackTestJob> {
  const to = new Date(now());
  const job: BackTestJob = {
    ...newJobOf(owner, to),
    _id: newId('job'),
    kind: 'BACK_TEST',
    mode: rule.mode,
    input: { rule, from: new Date(to.getTime() - backTestDays * dayMs), to },
    progress: { done: 0, total: backTestDays, of: 'DAYS' },
  };
  await enqueueJob(models, job);
  return job;
}
