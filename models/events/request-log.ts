import type { RequestType } from '../../domain/purchase.ts';
import { networkOf } from '../../platform/addresses.ts';
import { correspondingId } from '../../platform/ids.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { LoggedRequest } from '../schemas/requests.ts';

/** The fields of an event that its row is made from. */
export type Accepted = Pick<
  OrderEventDoc,
  | '_id'
  | 'partnerId'
  | 'integrationId'
  | 'credentialId'
  | 'mode'
  | 'requestId'
  | 'request'
  | 'receivedAt'
> & { type: RequestType; externalOrderId: string | null };

/**
 * The row of the request that recorded an event, always the same for an event.
 * @param address of the client, while that is known
 */
export function loggedRequestOf(event: Accepted, address: string | null): LoggedRequest {
  return {
    _id: correspondingId('loggedRequest', event._id),
    partnerId: event.partnerId,
    integrationId: event.integrationId,
    credentialId: event.credentialId,
    mode: event.mode,
    type: event.type,
    requestId: event.requestId,
    ...event.request,
    code: 'ACCEPTED',
    externalOrderId: event.externalOrderId,
    eventId: event._id,
    receivedAt: event.receivedAt,
    count: 1,
    minute: null,
    address,
    network: address === null ? null : networkOf(address),
  };
}
