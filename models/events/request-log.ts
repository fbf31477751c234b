import type { RequestType } from '../../domain/purchase.ts';
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

/** The id of the row of the request that recorded an event: always the same, so that it is written once. */
export const rowIdOfEvent = (eventId: string): string => correspondingId('loggedRequest', eventId);

/** The row of the request that recorded an event, but for the client's address, which no event has. */
export function loggedRequestOf(event: Accepted): LoggedRequest {
  return {
    _id: rowIdOfEvent(event._id),
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
    address: null,
    network: null,
  };
}
