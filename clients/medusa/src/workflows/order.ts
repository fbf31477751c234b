import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { partnerEventsModule } from '../modules/partner-events';
import type { PartnerEventsService } from '../modules/partner-events/service';
import { type Order, orderFields } from '../order-state';
import { digitsOf } from './currency';

/** Orders as they are now. */
export async function ordersWith(container: MedusaContainer, ids: string[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'order',
    fields: orderFields,
    filters: { id: ids },
  });
  return data as unknown as Order[];
}

/** The order as it is now, and the service; null if the order is gone, or the shop reports nothing. */
export async function orderAndService(container: MedusaContainer, orderId: string) {
  const service: PartnerEventsService = container.resolve(partnerEventsModule);
  const connection = await service.connection();
  if (!connection) return null;
  const [order] = await ordersWith(container, [orderId]);
  if (!order) return null;
  return { ...connection, service, order, digits: await digitsOf(container, order.currency_code) };
}
