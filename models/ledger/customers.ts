import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { liveAccounts } from '../../domain/postings.ts';
import { markedIndexes } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { Ledger } from './ledger.ts';

/** A customer of one partner. The id is a keyed hash and identifies nobody. */
export interface CustomerRef {
  partnerId: string;
  /** `cus_…` */
  customerId: string;
}

/**
 * Finds a customer's partner, which the id is derived from as well. A purchase whose workflow has
 * not begun has no reward yet and is found among the pending events.
 * @param modes in one of which the customer must have a purchase
 * @throws ServiceError NOT_FOUND if there is no such purchase
 */
export async function findCustomer(
  models: Models,
  customerId: string,
  modes: readonly Mode[] = ['LIVE'],
): Promise<CustomerRef> {
  const reward = await models.rewards.findOne(
    { customerId, mode: { $in: modes } },
    { partnerId: 1 },
  );
  const found = reward ?? (await findPendingPurchase(models, customerId, modes));
  if (found) return { partnerId: found.partnerId, customerId };
  throw new ServiceError(
    'NOT_FOUND',
    `There is no customer ${JSON.stringify(customerId)} with a ${modes.join(' or ')} purchase.`,
  );
}

function findPendingPurchase({ orderEvents }: Models, customerId: string, modes: readonly Mode[]) {
  return orderEvents
    .findOne(
      {
        pendingSince: { $exists: true },
        'purchase.customerId': customerId,
        mode: { $in: modes },
      },
      { partnerId: 1 },
    )
    .hint(markedIndexes.all);
}

/** A customer's points at a partner, and what they are worth in cents. */
export async function customerHoldings(ledger: Ledger, { partnerId, customerId }: CustomerRef) {
  const [points = 0, owedCents = 0] = await ledger.live.balancesOf(partnerId, [
    liveAccounts.points.customer(customerId),
    liveAccounts.payable(customerId),
  ]);
  return { points, owedCents };
}
