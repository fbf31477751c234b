import { openStatuses } from '../../domain/reward-states.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { DataKeyDoc } from '../schemas/data-key.ts';
import type { Models } from '../schemas/index.ts';

const daySeconds = 86_400;
const indexName = 'retention';
const collectionAbsent = 26;
const indexAbsent = 27;
const addressDays = 30;

/** Lets the database drop integration events of this age. Run again with another age, it changes it. */
export async function keepIntegrationEventsFor(models: Models, days: number): Promise<void> {
  const { name } = models.integrationEvents.collection;
  const expireAfterSeconds = days * daySeconds;
  try {
    await models.connection.db?.command({
      collMod: name,
      index: { name: indexName, expireAfterSeconds },
    });
  } catch (error) {
    const { code } = error as { code?: number };
    if (code !== indexAbsent && code !== collectionAbsent) throw error;
    await models.connection
      .collection(name)
      .createIndex({ receivedAt: 1 }, { name: indexName, expireAfterSeconds });
  }
}

/**
 * Forgets the addresses that requests of more than 30 days ago came from; their networks stay. Safe to
 * run again.
 * @returns how many were forgotten
 */
export async function shortenAddresses(models: Models, nowMs: number): Promise<number> {
  const before = new Date(nowMs - addressDays * dayMs);
  const { modifiedCount } = await models.integrationEvents.updateMany(
    { receivedAt: { $lt: before }, address: { $type: 'string' } },
    { address: null },
  );
  return modifiedCount;
}

/** Keys that are looked at together. */
const pageSize = 500;

/**
 * Erases contacts of more than so many days ago, with all that was sealed beside them, as an operator's
 * erasure does. Whoever has open business, a reward that waits for somebody or a purchase whose
 * workflow has not begun, keeps theirs until the first round after it. Safe to run again.
 * @returns how many data keys were destroyed
 */
export async function eraseOldContacts(
  models: Models,
  days: number,
  nowMs: number,
): Promise<number> {
  const old = models.dataKeys
    .find(
      { createdAt: { $lt: new Date(nowMs - days * dayMs) }, wrapped: { $type: 'string' } },
      { partnerId: 1, customerId: 1 },
    )
    .sort({ createdAt: 1 })
    .lean()
    .cursor({ batchSize: pageSize });
  let erased = 0;
  let page: OldKey[] = [];
  for await (const key of old) {
    page.push(key);
    if (page.length < pageSize) continue;
    erased += await eraseUnneeded(models, page, nowMs);
    page = [];
  }
  return erased + (await eraseUnneeded(models, page, nowMs));
}

type OldKey = Pick<DataKeyDoc, '_id' | 'partnerId' | 'customerId'>;

async function eraseUnneeded(models: Models, keys: readonly OldKey[], nowMs: number) {
  const partnerId = { $in: keys.map((key) => key.partnerId) };
  const customers = { $in: keys.map(({ customerId }) => customerId) };
  const [rewarded, buying] = await Promise.all([
    models.rewards.distinct('customerId', {
      ...{ partnerId, customerId: customers, status: { $in: openStatuses } },
    }),
    models.orderEvents
      .find(
        { partnerId, pendingSince: { $exists: true }, 'purchase.customerId': customers },
        { purchase: 1 },
      )
      .hint('awaits_workflow')
      .lean(),
  ]);
  const busy = new Set([...rewarded, ...buying.map(({ purchase }) => purchase?.customerId)]);
  const unneeded = keys.filter(({ customerId }) => !busy.has(customerId));
  const { modifiedCount } = await models.dataKeys.updateMany(
    { partnerId, _id: { $in: unneeded.map(({ _id }) => _id) }, wrapped: { $ne: null } },
    { $set: { wrapped: null, erasedAt: new Date(nowMs) } },
  );
  return modifiedCount;
}
