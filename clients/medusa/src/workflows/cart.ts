import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, MedusaError } from '@medusajs/framework/utils';
import type { CreditLine, Goods } from '../order-state';

export interface PointsCart {
  id: string;
  currency_code: string;
  total: unknown;
  customer: { id: string; email: string };
  credit_lines?: (CreditLine | null)[] | null;
}

/** @throws MedusaError NOT_FOUND if there is no such cart */
export async function goodsOfCart(container: MedusaContainer, id: string) {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'cart',
    fields: [
      'id',
      'currency_code',
      'total',
      'items.*',
      'items.subtotal',
      'items.discount_subtotal',
      'credit_lines.*',
    ],
    filters: { id },
  });
  const cart = data[0];
  if (!cart) throw new MedusaError(MedusaError.Types.NOT_FOUND, `There is no cart ${id}.`);
  return cart as unknown as Goods & { currency_code: string };
}

/**
 * The cart of a customer who is signed in.
 * @throws MedusaError NOT_FOUND if it is another's, NOT_ALLOWED once it is an order
 */
export async function cartOf(
  container: MedusaContainer,
  id: string,
  customerId: string,
): Promise<PointsCart> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'cart',
    fields: [
      'id',
      'completed_at',
      'currency_code',
      'total',
      'customer.id',
      'customer.email',
      'credit_lines.*',
    ],
    filters: { id },
  });
  const cart = data[0];
  if (!cart || cart.customer?.id !== customerId) {
    throw new MedusaError(MedusaError.Types.NOT_FOUND, `The customer has no cart ${id}.`);
  }
  if (cart.completed_at) {
    throw new MedusaError(MedusaError.Types.NOT_ALLOWED, 'The cart is an order already.');
  }
  return cart as unknown as PointsCart;
}
