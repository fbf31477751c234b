import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../schemas/index.ts';

/** How long it is waited for; who needs longer tries again. */
const patienceMs = 1_000;

/**
 * The database's time, by which windows and holds end: a process whose clock is ahead ends none early.
 * @param notBefore how late it is by another clock
 * @throws Error if the database's clock is far behind that
 */
export async function databaseTime(
  { connection }: Pick<Models, 'connection'>,
  notBefore = new Date(0),
): Promise<Date> {
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  const at: Date = localTime;
  const leftMs = notBefore.getTime() - at.getTime();
  if (leftMs <= 0) return at;
  if (leftMs > patienceMs) {
    throw new Error(
      `It is ${at.toISOString()} by the database’s clock, not ${notBefore.toISOString()} yet.`,
    );
  }
  await delay(leftMs);
  return notBefore;
}
