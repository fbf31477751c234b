import { networkOf } from '../../platform/addresses.ts';
import { correspondingId } from '../../platform/ids.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { IntegrationEventDoc } from '../schemas/requests.ts';

/** The fields of an order event that its integration event is made from. */
export type Accepted = Pick<
  OrderEventDoc,
  | '_id'
  | 'partnerId'
  | 'integrationId'
  | 'credentialId'
  | 'mode'
  | 'type'
  | 'requestId'
  | 'request'
  | 'externalOrderId'
  | 'receivedAt'
>;

/**
 * The integration event of the request that recorded an order event, always the same for an event.
 * @param address of the client, while that is known
 */
export function integrationEventOf(event: Accepted, address: string | null): IntegrationEventDoc {
  return {
    _id: correspondingId('integrationEvent', event._id),
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
