import type { CustomerBalance, Wallet } from '../../domain/draft.ts';
import type { PointsEnd } from '../../domain/points-end.ts';
import type { WalletRef } from '../../domain/postings.ts';
import type { Models } from '../schemas/index.ts';
import type { PointsEndDoc } from '../schemas/policies.ts';
import { endingIndex } from '../schemas/wallets.ts';
import type { CustomerRef } from './customers.ts';
import { readWallet } from './wallets.ts';

/** The setting in force by which a partner's points end; null while they do not. */
export async function readPointsEnd(
  models: Pick<Models, 'wallets'>,
  ref: WalletRef,
): Promise<PointsEnd | null> {
  const wallet: Wallet | null = await readWallet(models, ref);
  return wallet?.pointsEnd ?? null;
}

/** The newest settings of a partner and mode, newest first. */
export async function findPointsEnds(
  { pointsEnds }: Pick<Models, 'pointsEnds'>,
  { partnerId, mode }: WalletRef,
  limit: number,
): Promise<PointsEndDoc[]> {
  return await pointsEnds.find({ partnerId, mode }).sort({ _id: -1 }).limit(limit);
}

/** A customer's balance in one mode; null if they never had any. */
export async function readCustomerBalance(
  { customerBalances }: Pick<Models, 'customerBalances'>,
  { partnerId, customerId }: CustomerRef,
  mode: WalletRef['mode'],
): Promise<CustomerBalance | null> {
  return await customerBalances.findOne({ partnerId, mode, customerId });
}

/** Customers of all partners whose points have something due, those that have waited longest first. @param after the last of the page before */
export async function findDueEnds(
  { customerBalances }: Pick<Models, 'customerBalances'>,
  at: Date,
  after: CustomerBalance | undefined,
  limit: number,
): Promise<CustomerBalance[]> {
  const last = after?.ending?.nextAt ?? null;
  const later =
    after === undefined || last === null
      ? { 'ending.nextAt': { $lte: at } }
      : {
          $or: [
            { 'ending.nextAt': { $gt: last, $lte: at } },
            { 'ending.nextAt': last, _id: { $gt: after._id } },
          ],
        };
  return await customerBalances.collection
    .find<CustomerBalance>(later as never)
    .sort({ 'ending.nextAt': 1, _id: 1 })
    .limit(limit)
    .hint(endingIndex)
    .toArray();
}
