import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';

/** A customer of one partner. The id is a keyed hash and identifies nobody. */
export interface CustomerRef {
  partnerId: string;
  /** `cus_…` */
  customerId: string;
}

/**
 * Finds a customer's partner, which the id is derived from as well.
 * @param modes in one of which the customer must have a purchase
 * @throws ServiceError NOT_FOUND if there is no such purchase
 */
export async function findCustomer(
  { rewards, orderEvents }: Models,
  customerId: string,
  modes: readonly Mode[] = ['LIVE'],
): Promise<CustomerRef> {
  const mode = { $in: modes };
  const found =
    (await rewards.findOne({ customerId, mode }, { partnerId: 1 })) ??
    (await orderEvents.findOne({ 'purchase.customerId': customerId, mode }, { partnerId: 1 }));
  if (found) return { partnerId: found.partnerId, customerId };
  throw new ServiceError(
    'NOT_FOUND',
    `There is no customer ${JSON.stringify(customerId)} with a ${modes.join(' or ')} purchase.`,
  );
}

/** A customer's points at a partner, and what they are worth in cents. */
export async function customerHoldings(
  { customerBalances }: Pick<Models, 'customerBalances'>,
  { partnerId, customerId }: CustomerRef,
): Promise<{ points: number; owedCents: number }> {
  const held = await customerBalances.findOne({ partnerId, _id: customerId });
  return { points: held?.points ?? 0, owedCents: held?.payableCents ?? 0 };
}
