import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import type { ConnectionDoc, WaitingRefundDoc } from '../models/schemas/connections.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { integrationNames } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** More than a partner can have, with those that ended. */
const maxShown = 100;

/** A partner's connections of a mode, newest first. */
export async function readConnections({ models }: ModelDeps, partnerId: PartnerScope, mode: Mode) {
  const connections = await models.connections
    .find({ partnerId, mode, endedAt: null })
    .sort({ _id: -1 })
    .limit(maxShown);
  return { connections, nameOf: await integrationNames(models, partnerId, connections) };
}

export type ConnectionList = Awaited<ReturnType<typeof readConnections>>;

/** A connection of a partner. @throws ServiceError NOT_FOUND, also for another partner's or one that ended */
export async function findOwnConnection(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
): Promise<ConnectionDoc> {
  const connection = await models.connections.findOne({ partnerId, _id, endedAt: null });
  if (connection) return connection;
  throw new ServiceError('NOT_FOUND', 'There is no such connection.');
}

/** The newest refunds that wait, were not matched or failed. */
const maxWaiting = 50;

/** A connection with the refunds that need a look, newest first. @throws ServiceError NOT_FOUND */
export async function readConnection(
  deps: Pick<ViewDeps, 'models' | 'now'>,
  partnerId: PartnerScope,
  connectionId: string,
) {
  const connection = await findOwnConnection(deps, partnerId, connectionId);
  const [waiting, nameOf] = await Promise.all([
    deps.models.waitingRefunds
      .find({ partnerId, connectionId, kind: { $in: ['REFUND', 'FAILED'] } })
      .sort({ receivedAt: -1 })
      .limit(maxWaiting),
    integrationNames(deps.models, partnerId, [connection]),
  ]);
  const refunds = waiting.map((one) => ({
    externalOrderId: one.externalOrderId,
    externalRefundId: one.refund?.externalRefundId ?? '',
    receivedAt: one.receivedAt,
    state: stateOf(one, deps.now()),
  }));
  return { connection, refunds, integrationName: nameOf(connection.integrationId) };
}

function stateOf({ kind, settledAt, waitsUntil }: WaitingRefundDoc, nowMs: number) {
  if (kind === 'FAILED') return settledAt ? 'SETTLED' : 'FAILED';
  return waitsUntil.getTime() > nowMs ? 'WAITING' : 'NOT_MATCHED';
}

export type ConnectionDetails = Awaited<ReturnType<typeof readConnection>>;
