import { modes } from '../../domain/mode.ts';
import { openStates } from '../../domain/reward.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { inPages } from './in-pages.ts';

/** @returns the sealed text of an event, or null if its customer was erased */
export function openEvent(
  sealer: Sealer,
  { _id, sealed }: Pick<OrderEventDoc, '_id' | 'sealed'>,
): string | null {
  return sealed === null ? null : sealer.open(sealed, _id);
}

const isSealed = { sealed: { $type: 'string' } } as const;

/** Which of these purchases still have what they say of their customer. */
export async function notErased(
  { orderEvents }: Models,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await orderEvents.find({ _id: { $in: eventIds }, ...isSealed }, { _id: 1 });
  return new Set(found.map(({ _id }) => _id));
}

/** Whether any event was erased since a given time. Reads one index key. */
export async function erasedSince({ orderEvents }: Models, since: Date): Promise<boolean> {
  return (await orderEvents.exists({ erasedAt: { $gte: since } })) !== null;
}

/** The customer whose data it is, as identified in rewards. */
interface OfCustomer {
  partnerId: string;
  customerId: string;
}

const pageSize = 500;

/**
 * Erases all that orders say of a customer: those that named the customer, and those whose reward is the customer's
 * since its contact was corrected. Safe to repeat.
 * @param upTo what was reported after this is kept
 * @param erasedAt now
 */
export async function eraseEventsOf(
  models: Models,
  { partnerId, customerId }: OfCustomer,
  { upTo, erasedAt }: { upTo: Date; erasedAt: Date },
): Promise<void> {
  const named = models.orderEvents
    .find(
      { partnerId, type: 'PURCHASE', 'purchase.customerId': customerId },
      { purchaseEventId: 1 },
    )
    .cursor({ batchSize: pageSize });
  const owned = models.rewards
    .find({ partnerId, customerId }, { purchaseEventId: 1 })
    .cursor({ batchSize: pageSize });
  for (const orders of [named, owned]) {
    await inPages<{ purchaseEventId: string }>(orders, pageSize, async (page) => {
      const purchaseEventId = { $in: page.map((order) => order.purchaseEventId) };
      const reported = { partnerId, purchaseEventId, receivedAt: { $lte: upTo } };
      return await erase(models, reported, erasedAt);
    });
  }
}

/** @returns how many of these events were erased now */
async function erase({ orderEvents }: Models, which: object, erasedAt: Date): Promise<number> {
  const forgotten = {
    $set: { sealed: null, erasedAt },
    $unset: { 'purchase.phoneId': '' as const },
  };
  return (await orderEvents.updateMany({ ...which, ...isSealed }, forgotten)).modifiedCount;
}

type OldEvent = Pick<OrderEventDoc, '_id' | 'partnerId' | 'purchaseEventId'>;

/**
 * Erases what events older than a time say of their customers. Those of customers with open business are kept until
 * the first run after it: a reward that waits for somebody, a purchase that has not begun, or points whose end they
 * have to be told. Safe to repeat.
 * @returns how many
 */
export async function eraseOldEvents(models: Models, before: Date, now: Date): Promise<number> {
  const old = models.orderEvents
    .find({ receivedAt: { $lt: before }, ...isSealed }, { partnerId: 1, purchaseEventId: 1 })
    .sort({ receivedAt: 1 })
    .cursor({ batchSize: pageSize });
  return await inPages<OldEvent>(old, pageSize, (page) => eraseUnneeded(models, page, now));
}

async function eraseUnneeded(
  models: Models,
  events: readonly OldEvent[],
  erasedAt: Date,
): Promise<number> {
  const partnerId = { $in: events.map((event) => event.partnerId) };
  const purchaseEventId = { $in: events.map((event) => event.purchaseEventId) };
  const rewards = await models.rewards.find(
    { partnerId, purchaseEventId },
    { purchaseEventId: 1, customerId: 1 },
  );
  const customerId = { $in: rewards.map((reward) => reward.customerId) };
  const [open, ending] = await Promise.all([
    models.rewards.distinct('customerId', { partnerId, customerId, state: { $in: openStates } }),
    models.customerBalances.distinct('customerId', {
      partnerId,
      mode: { $in: modes },
      customerId,
      'ending.nextAt': { $type: 'date' },
    }),
  ]);
  const busy = new Set([...open, ...ending]);
  const unneeded = new Set(
    rewards.flatMap((reward) => (busy.has(reward.customerId) ? [] : reward.purchaseEventId)),
  );
  const _id = { $in: events.flatMap((one) => (unneeded.has(one.purchaseEventId) ? one._id : [])) };
  return await erase(models, { partnerId, _id }, erasedAt);
}
