import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { reportOrderWorkflow } from '../workflows/report-order';

/** What happened does not matter: the workflow looks at the order. */
export default async function orderChanged({
  event: { name, data },
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  const order_id = name === 'payment.refunded' ? await orderOfPayment(container, data.id) : data.id;
  if (order_id) await reportOrderWorkflow(container).run({ input: { order_id } });
}

export const config: SubscriberConfig = {
  event: ['order.placed', 'order.canceled', 'payment.refunded'],
  context: { subscriberId: 'partner-events-order-changed' },
};

async function orderOfPayment(
  container: SubscriberArgs['container'],
  id: string,
): Promise<string | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'payment',
    fields: ['payment_collection.order.id'],
    filters: { id },
  });
  return data[0]?.payment_collection?.order?.id;
}
