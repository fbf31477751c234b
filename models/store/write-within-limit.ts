import type { ClientSession } from 'mongoose';
import type { Models } from '../schemas/index.ts';

/**
 * Whether a partner has room for one more of something. It touches the partner's document, so that of concurrent
 * transactions that ask, each counts what those before it wrote.
 * @param count how many there are; reads with the session
 */
export async function hasRoom(
  { partners }: Models,
  { partnerId, max }: { partnerId: string; max: number },
  count: () => Promise<number>,
  session: ClientSession,
): Promise<boolean> {
  await partners.updateOne({ _id: partnerId }, { $inc: { limitedWrites: 1 } }, { session });
  return (await count()) < max;
}

/**
 * Writes something that a partner has a limited number of, in one transaction with the count.
 * @param write called only if there is room
 * @returns whether it was written
 */
export async function writeWithinLimit(
  models: Models,
  limit: { partnerId: string; max: number },
  count: (session: ClientSession) => Promise<number>,
  write: (session: ClientSession) => Promise<unknown>,
): Promise<boolean> {
  const session = await models.connection.startSession();
  try {
    return await session.withTransaction(
      async () => {
        if (!(await hasRoom(models, limit, () => count(session), session))) return false;
        await write(session);
        return true;
      },
      { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } },
    );
  } finally {
    await session.endSession();
  }
}
