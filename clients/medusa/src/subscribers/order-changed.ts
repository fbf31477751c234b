import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { reportOrderWorkflow } from '../workflows/report-order';

/** What happened does not matter: the workflow looks at the order. */
export default async function orderChanged({
  event: { name, data },
  container,
}: SubscriberArgs<{ id: string; order_id?: string }>): Promise<void> {
  const order_id =
    data.order_id ??
    (name.startsWith('payment.') ? await orderOfPayment(container, data.id) : data.id);
  if (order_id) await reportOrderWorkflow(container).run({ input: { order_id } });
}

export const config: SubscriberConfig = {
  event: [
    'order.placed',
    'order.canceled',
    'order.return_received',
    'order.claim_created',
    'order.exchange_created',
    'order-edit.confirmed',
    'payment.captured',
    'payment.refunded',
  ],
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
