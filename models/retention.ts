import type { Models } from './schemas/index.ts';

const dayMs = 86_400_000;
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
