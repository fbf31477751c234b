import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { type EndedWindow, endOfPoints } from '../../domain/points-end.ts';
import { type Holdings, remainingOf } from '../../domain/redemption.ts';
import { unclaimedStates } from '../../domain/reward.ts';
import type { Models } from '../schemas/index.ts';
import { underReviewIndex } from '../schemas/rewards.ts';
import { readWallet } from './wallets.ts';

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

/** A customer's points at a partner in one mode, what they are worth in cents, and what is held of both. */
export async function customerHoldings(
  { customerBalances }: Pick<Models, 'customerBalances'>,
  { partnerId, customerId }: CustomerRef,
  mode: Mode = 'LIVE',
): Promise<{ points: number; owedCents: number; heldPoints: number; heldCents: number }> {
  const stored = await customerBalances.findOne({ partnerId, mode, customerId });
  const { points = 0, payableCents: owedCents = 0, heldPoints = 0, heldCents = 0 } = stored ?? {};
  return { points, owedCents, heldPoints, heldCents };
}

/** Has the points of an erased customer never end, since nobody could be told before. */
export async function keepPoints(
  { customerBalances }: Pick<Models, 'customerBalances'>,
  { partnerId, customerId }: CustomerRef,
): Promise<void> {
  await customerBalances.updateMany({ partnerId, customerId }, { $unset: { ending: '' } });
}

/** What a customer has. */
interface Holding extends Holdings {
  heldPoints: number;
  /** What would remain if all their open reviews were upheld. */
  spendable: Holdings;
  /** The points that end, and when; null if none do. */
  ending: { at: Date; points: number } | null;
  /** What has ended, but for what refunds have meant since. */
  endedPoints: number;
  /** When rewards were claimed whose points have ended; undefined if none have. */
  ended: EndedWindow | undefined;
}

/** What a customer has, and what of it they can spend. */
export async function reviewedHoldings(
  models: Pick<Models, 'customerBalances' | 'rewards' | 'wallets'>,
  { partnerId, customerId }: CustomerRef,
  mode: Mode = 'LIVE',
): Promise<Holding> {
  const reviewed = { partnerId, mode, customerId, state: 'IN_REVIEW' } as const;
  const [stored, rewards] = await Promise.all([
    models.customerBalances.findOne({ partnerId, mode, customerId }),
    models.rewards.find(reviewed).hint(underReviewIndex),
  ]);
  const { points = 0, payableCents: owedCents = 0, heldPoints = 0, ended } = stored ?? {};
  const spendable = remainingOf({ points, owedCents }, rewards, stored ?? {});
  const wallet = stored?.ending ? await readWallet(models, { partnerId, mode }) : null;
  const ending = endOfPoints(wallet?.pointsEnd, stored);
  const { endedPoints = 0 } = stored ?? {};
  return { points, owedCents, heldPoints, spendable, ending, endedPoints, ended };
}

/** The newest rewards of a customer that are searched for unclaimed ones. */
const rewardsSearched = 500;

/** The points of a customer's unclaimed rewards, among the newest. */
export async function pendingPoints(
  { rewards }: Pick<Models, 'rewards'>,
  { partnerId, customerId, mode }: CustomerRef & { mode: Mode },
): Promise<number> {
  const newest = await rewards
    .find({ customerId, partnerId, mode }, { state: 1, points: 1 })
    .sort({ _id: -1 })
    .limit(rewardsSearched)
    .hint({ customerId: 1, _id: -1 });
  return newest
    .filter(({ state }) => unclaimedStates.includes(state))
    .reduce((sum, { points }) => sum + points, 0);
}
