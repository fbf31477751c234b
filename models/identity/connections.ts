import type { ConnectionDoc } from '../schemas/connections.ts';
import type { Models } from '../schemas/index.ts';
import { requireFound } from '../store/require-found.ts';

/** A partner's connection. @throws ServiceError NOT_FOUND, also for another partner's or one that ended */
export async function findConnection(
  models: Models,
  { partnerId, connectionId: _id }: { partnerId: string; connectionId: string },
): Promise<ConnectionDoc> {
  const connection = await models.connections.findOne({ partnerId, _id, endedAt: null });
  return requireFound(connection, 'connection', _id);
}

/** What a connection's read key is sealed with, so that it is no secret of its webhooks. */
export const readKeyContext = (connectionId: string): string => `${connectionId}/read-key`;

/** How many connections are read at a time. */
const dueLimit = 50;

/** Some of the connections whose shop is to be asked now, the longest due first. */
export const findConnectionsToAsk = (models: Models, now: Date): Promise<ConnectionDoc[]> =>
  models.connections
    .find({ askAt: { $lte: now }, pausedAt: null, endedAt: null })
    .sort({ askAt: 1 })
    .limit(dueLimit)
    .exec();

/** Puts off asking a shop, after a run that ended with an error of ours. */
export async function askLater(
  models: Models,
  { partnerId, _id }: Pick<ConnectionDoc, 'partnerId' | '_id'>,
  askAt: Date,
): Promise<void> {
  await models.connections.updateOne(
    { partnerId, _id, readKey: { $ne: null } },
    { $set: { askAt } },
  );
}
