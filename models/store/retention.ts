import { openStates } from '../../domain/reward.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { DataKeyDoc } from '../schemas/customers.ts';
import type { Models } from '../schemas/index.ts';
import { inPages } from './in-pages.ts';
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

/**
 * Erases what people wrote about customers before a time, unless a reward of the customer waits for somebody; that is
 * kept until the first run after it. Safe to repeat.
 * @returns how many data keys were destroyed
 */
export async function eraseOldTexts(models: Models, before: Date, now: Date): Promise<number> {
  const old = models.dataKeys
    .find(
      { createdAt: { $lt: before }, wrapped: { $type: 'string' } },
      { partnerId: 1, customerId: 1 },
    )
    .sort({ createdAt: 1 })
    .cursor({ batchSize: pageSize });
  return await inPages<OldKey>(old, pageSize, (page) => destroyUnneeded(models, page, now));
}

type OldKey = Pick<DataKeyDoc, '_id' | 'partnerId' | 'customerId'>;

async function destroyUnneeded(models: Models, keys: readonly OldKey[], erasedAt: Date) {
  const partnerId = { $in: keys.map((key) => key.partnerId) };
  const busy = new Set(
    await models.rewards.distinct('customerId', {
      partnerId,
      customerId: { $in: keys.map(({ customerId }) => customerId) },
      state: { $in: openStates },
    }),
  );
  const unneeded = keys.filter(({ customerId }) => !busy.has(customerId));
  const { modifiedCount } = await models.dataKeys.updateMany(
    { partnerId, _id: { $in: unneeded.map(({ _id }) => _id) }, wrapped: { $ne: null } },
    { $set: { wrapped: null, erasedAt } },
  );
  return modifiedCount;
}
