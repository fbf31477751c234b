import { newId } from '../platform/ids.ts';
import type { IntegrationEventDoc } from './schemas/integration-event.ts';
import type { OrderEventDoc } from './schemas/order-event.ts';

/** The integration event of the request that recorded an order event; made again, it is refused. */
export function integrationEventOf(event: OrderEventDoc): IntegrationEventDoc {
  return {
    _id: newId('integrationEvent'),
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
  };
}
