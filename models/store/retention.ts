import { openStates } from '../../domain/reward.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { DataKeyDoc } from '../schemas/customers.ts';
import type { Models } from '../schemas/index.ts';
import { raiseWatermark, readWatermark } from './watermarks.ts';

const daySeconds = 86_400;
const indexName = 'retention';
const collectionAbsent = 26;
const indexAbsent = 27;
const addressDays = 30;

/** Has the database delete rows of the request log at this age. Calling it again changes the age. */
export async function keepRequestLogFor(models: Models, days: number): Promise<void> {
  const { name } = models.requestLog.collection;
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

/** How far addresses have been deleted, so that no run reads what an earlier one did. */
const shortenedUpTo = 'addresses shortened';
const pageSize = 500;

/**
 * Deletes the client addresses of requests older than 30 days, keeping their networks, page by page.
 * Safe to repeat.
 * @returns how many were deleted
 */
export async function shortenAddresses(models: Models, nowMs: number): Promise<number> {
  const { requestLog } = models;
  const end = new Date(nowMs - addressDays * dayMs);
  let shortened = 0;
  let from = (await readWatermark(models, shortenedUpTo)) ?? new Date(0);
  while (from < end) {
    const last = await requestLog
      .findOne({ receivedAt: { $gt: from, $lt: end } }, { receivedAt: 1 })
      .sort({ receivedAt: 1 })
      .skip(pageSize - 1);
    const upTo = last?.receivedAt ?? end;
    const { modifiedCount } = await requestLog.updateMany(
      { receivedAt: { $gt: from, $lte: upTo }, address: { $type: 'string' } },
      { address: null },
    );
    shortened += modifiedCount;
    await raiseWatermark(models, shortenedUpTo, upTo);
    from = upTo;
  }
  return shortened;
}

/** With more purchases waiting for their workflows, contacts are left to the next run. */
const maxWaiting = 10_000;

/**
 * Erases contacts older than the given number of days, with everything sealed along with them, as an
 * erasure by an operator does. Contacts of customers with open business (a reward that waits for
 * somebody, or a purchase whose workflow has not started) are kept until the first run after it. Safe
 * to repeat.
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
  const rewarded = await models.rewards.distinct('customerId', {
    partnerId,
    customerId: customers,
    state: { $in: openStates },
  });
  const waiting = await models.outbox
    .find({ partnerId, kind: 'START' }, { _id: 1 })
    .limit(maxWaiting + 1);
  if (waiting.length > maxWaiting) return 0;
  const buying = await models.orderEvents.find(
    { partnerId, _id: { $in: waiting.map(({ _id }) => _id) } },
    { purchase: 1 },
  );
  const busy = new Set([...rewarded, ...buying.map(({ purchase }) => purchase?.customerId)]);
  const unneeded = keys.filter(({ customerId }) => !busy.has(customerId));
  const { modifiedCount } = await models.dataKeys.updateMany(
    { partnerId, _id: { $in: unneeded.map(({ _id }) => _id) }, wrapped: { $ne: null } },
    { $set: { wrapped: null, erasedAt: new Date(nowMs) } },
  );
  return modifiedCount;
}
