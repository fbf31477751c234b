import { liveAccounts } from '../../domain/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { redeem as redemptionPostings } from '../../domain/postings.ts';
import { type CustomerRef, type Ledger, references } from '../ledger/index.ts';
import type { EntryDoc } from '../schemas/entry.ts';
import type { ReferencedDeed } from './deeds.ts';
import type { CommandDeps } from './deps.ts';
import { requireNotSuspended } from './find.ts';

export interface Redemption {
  /** At least 1. */
  points: number;
  /** Names the redemption, once per partner. */
  reference: string;
}

/**
 * A customer spends points: their share of what is owed to the customer is redeemed (domain,
 * Accounting). Once per reference.
 * @returns the transaction, and whether this call made it
 * @throws ServiceError PARTNER_SUSPENDED; CONFLICT when the customer holds fewer points, or the reference stands for
 *   another redemption
 */
export async function redeem(
  { models, ledger, now }: Pick<CommandDeps, 'models' | 'now'> & { ledger: Ledger },
  { partnerId, customerId }: CustomerRef,
  { points, reference }: Redemption,
): Promise<{ entry: EntryDoc; isNew: boolean }> {
  await requireNotSuspended(models, partnerId);
  const { payable, redeemed, points: pointsAccounts } = liveAccounts;
  const customer = pointsAccounts.customer(customerId);
  const outcome = await ledger.live.append<{ heldPoints: number }>({
    partnerId,
    reference: references.redemption(reference),
    rewardId: null,
    at: new Date(now()),
    accounts: [customer, payable(customerId), redeemed, pointsAccounts.redeemed],
    decide(balanceOf) {
      const heldPoints = balanceOf(customer);
      if (heldPoints < points) return { refused: { heldPoints } };
      return { kind: 'REDEEM', postings: redemptionPostings(customerId, points, balanceOf) };
    },
  });
  if ('refused' in outcome) {
    const { heldPoints } = outcome.refused;
    throw new ServiceError('CONFLICT', `The customer holds ${heldPoints} points, not ${points}.`);
  }
  const { entry, isNew } = outcome;
  if (entry === null) throw new Error('a redemption moves points');
  const spent = entry.postings.find(({ account }) => account === customer)?.amount;
  if (spent === -points) return { entry, isNew };
  throw new ServiceError(
    'CONFLICT',
    `${JSON.stringify(reference)} stands for another redemption already (${entry._id}).`,
  );
}

/** What the trail keeps of a redemption. */
export function redemptionDeed(
  { partnerId, customerId }: CustomerRef,
  { points, reference }: Redemption,
): ReferencedDeed {
  const details = { points, reference };
  return { action: 'customer.redeem', partnerId, targetId: customerId, details };
}
