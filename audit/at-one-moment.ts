import type { ClientSession } from 'mongoose';
import type { Models } from '../models/schemas/index.ts';

/** What each read of one moment takes. */
export interface OneMoment {
  session: ClientSession;
  readConcern: { level: 'snapshot' };
}

/**
 * Reads several collections as they are at one moment.
 * @param read passes the options to each of its reads. They name the level, since the connection has
 *   another, which would apply instead.
 */
export async function atOneMoment<T>(
  { connection }: Pick<Models, 'connection'>,
  read: (options: OneMoment) => Promise<T>,
): Promise<T> {
  const session = await connection.startSession({ snapshot: true });
  try {
    return await read({ session, readConcern: { level: 'snapshot' } });
  } finally {
    await session.endSession();
  }
}
