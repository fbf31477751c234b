import { networkOf } from '../platform/addresses.ts';
import { newId } from '../platform/ids.ts';
import type { IntegrationEventDoc } from './schemas/integration-event.ts';
import type { OrderEventDoc } from './schemas/order-event.ts';

/**
 * The integration event of the request that recorded an order event; made again, it is refused.
 * @param address where the request came from, as long as that is known
 */
export function integrationEventOf(
  event: OrderEventDoc,
  address: string | null,
): IntegrationEventDoc {
  return {
    _id: newId('integrationEvent', event.receivedAt.getTime()),
    partnerId: event.partnerId,
    integrationId: event.integrationId,
    credentialId: event.credentialId,
    mode: event.mode,
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
