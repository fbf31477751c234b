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
