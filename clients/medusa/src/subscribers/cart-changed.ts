import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { pointLines } from '../order-state';
import { applyPointsWorkflow } from '../workflows/apply-points';
import type { PointsCart } from '../workflows/cart';

/** A cart that has become cheaper than its points pays with fewer: no total is negative. */
export default async function cartChanged({
  event: { data },
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data: carts } = await query.graph({
    entity: 'cart',
    fields: ['id', 'completed_at', 'total', 'customer.id', 'credit_lines.*'],
    filters: { id: data.id },
  });
  const cart = carts[0] as unknown as (PointsCart & { completed_at?: unknown }) | undefined;
  if (!cart?.customer || cart.completed_at || Number(cart.total) >= 0) return;
  const [line] = pointLines(cart);
  if (!line) return;
  const input = { cart_id: cart.id, customer_id: cart.customer.id, amount: Number(line.amount) };
  const { errors } = await applyPointsWorkflow(container).run({ input, throwOnError: false });
  const [failure] = errors;
  if (failure) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.warn(`Partner Events: cart ${cart.id} pays with no points: ${failure.error.message}`);
  }
}

export const config: SubscriberConfig = {
  event: 'cart.updated',
  context: { subscriberId: 'partner-events-cart-changed' },
};
