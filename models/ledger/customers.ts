import { liveAccounts } from '../../domain/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import { markedIndexes } from '../schemas/order-event.ts';
import type { Ledger } from './ledger.ts';

/** A customer of one partner; the id is a keyed hash, so that it names nobody. */
export interface CustomerRef {
  partnerId: string;
  /** `cus_…` */
  customerId: string;
}

/**
 * The partner whose customer this is: the id is made from the partner's too. A purchase has its reward
 * once its workflow begins, and until then stands among those that wait for that.
 * @param modes of which the customer has a purchase
 * @throws ServiceError NOT_FOUND for one who never had such a purchase
 */
export async function findCustomer(
  models: Models,
  customerId: string,
  modes: readonly Mode[] = ['LIVE'],
): Promise<CustomerRef> {
  const reward = await models.rewards
    .findOne({ customerId, mode: { $in: modes } }, { partnerId: 1 })
    .lean();
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
    .hint(markedIndexes.all)
    .lean();
}

/** What a customer holds of a partner: points, and the cents that they are worth. */
export async function customerHoldings(ledger: Ledger, { partnerId, customerId }: CustomerRef) {
  const [points = 0, owedCents = 0] = await ledger.live.balancesOf(partnerId, [
    liveAccounts.points.customer(customerId),
    liveAccounts.payable(customerId),
  ]);
  return { points, owedCents };
}
