import { microsPerMinor } from './currencies.ts';
import type { Mode } from './mode.ts';

/**
 * The accounts that a reward's money passes through (docs/concepts/money.md), all of one
 * partner. A positive balance is owed to the account's holder. `cash`, which is what we hold, and
 * `planReceivable`, which is what we are owed, run negative.
 */
export interface Accounts {
  funding: string;
  reserved: string;
  cash: string;
  redeemed: string;
  /** What was lost with a customer's points, until it is settled (docs/concepts/money.md, Write-offs). */
  writeOff(customerId: string): string;
  payable(customerId: string): string;
  /** Absent in TEST: no customer's balance is ever touched. */
  points: {
    customer(customerId: string): string;
    issued: string;
    redeemed: string;
    writeOff(customerId: string): string;
  } | null;
}

export const liveAccounts = {
  funding: 'funding',
  reserved: 'reserved',
  cash: 'cash',
  redeemed: 'redeemed',
  writeOff: (customerId: string) => `writeOff:${customerId}`,
  payable: (customerId: string) => `payable:${customerId}`,
  /** What a customer holds at a checkout, until it is captured or comes back. */
  held: {
    cents: (customerId: string) => `held:${customerId}`,
    points: (customerId: string) => `heldPoints:${customerId}`,
  },
  points: {
    customer: (customerId: string) => `points:${customerId}`,
    issued: 'pointsIssued',
    redeemed: 'pointsRedeemed',
    writeOff: (customerId: string) => `pointsWriteOff:${customerId}`,
  },
} satisfies Accounts & { held: object };

/** The accounts of an integration's test funding, which is not real money. */
export const testAccounts = {
  funding: 'funding',
  reserved: 'reserved',
  cash: 'granted',
  redeemed: 'redeemed',
  writeOff: () => 'writeOff',
  payable: () => 'spent',
  points: null,
} satisfies Accounts;

export const accountsOf = ({ mode }: Pick<WalletRef, 'mode'>): Accounts =>
  mode === 'LIVE' ? liveAccounts : testAccounts;

/** Our own accounts, for what partners pay for their plans. */
export const planReceivable = 'planReceivable';
export const revenue = 'revenue';
/** What was paid for invoices, apart from `cash`, which is the other side of the funding. */
export const planCash = 'planCash';

/** Whether the account holds somebody's money or points: such a balance never goes below zero. */
export function mustNotGoNegative(account: string): boolean {
  return /^(funding|reserved|payable|points|held|heldPoints|writeOff|pointsWriteOff|spent|credit)(:|$)/.test(
    account,
  );
}

export type Unit = 'CENTS' | 'POINTS';

/** One side of a transaction: credits are positive, debits negative; integers only. */
export interface Posting {
  account: string;
  unit: Unit;
  amount: number;
}

/** Postings that do not balance or are not safe integers. */
export class UnbalancedError extends Error {
  override name = 'UnbalancedError';
}

/**
 * The only way to make the postings of a transaction: drops zeros and checks the rest.
 * @param read the accounts whose balances the transaction was decided on. Each gets a posting, of
 *   zero if nothing moves there, so that the entry says what it was decided on.
 * @returns at least two postings, or none if nothing moves
 * @throws UnbalancedError if a unit does not sum to zero, an amount is not a safe integer, an
 *   account appears twice, or one that was read does not appear
 */
export function balance(postings: readonly Posting[], read: readonly string[] = []): Posting[] {
  if (postings.every(({ amount }) => amount === 0)) return [];
  const kept = postings.filter(({ account, amount }) => amount !== 0 || read.includes(account));
  const sums: Record<Unit, bigint> = { CENTS: 0n, POINTS: 0n };
  for (const { amount, unit } of kept) {
    if (!Number.isSafeInteger(amount)) throw new UnbalancedError(`${amount} is not a safe integer`);
    sums[unit] += BigInt(amount);
  }
  if (sums.CENTS !== 0n || sums.POINTS !== 0n) {
    throw new UnbalancedError(`sums to ${sums.CENTS} cents and ${sums.POINTS} points`);
  }
  const accounts = new Set(kept.map(({ account }) => account));
  if (accounts.size !== kept.length) throw new UnbalancedError('an account appears twice');
  const missing = read.find((account) => !accounts.has(account));
  if (missing !== undefined) throw new UnbalancedError(`${missing} was read, but has no posting`);
  return kept;
}

/** Moves cents from one account to another. */
function cents(from: string, to: string, amount: number): Posting[] {
  return [
    { account: from, unit: 'CENTS', amount: 0 - amount },
    { account: to, unit: 'CENTS', amount },
  ];
}

function points(from: string, to: string, amount: number): Posting[] {
  return [
    { account: from, unit: 'POINTS', amount: 0 - amount },
    { account: to, unit: 'POINTS', amount },
  ];
}

export interface Obligation {
  liabilityCents: number;
  points: number;
  customerId: string;
}

export type BalanceOf = (account: string) => number;

export const topUp = (accounts: Accounts, amountCents: number): Posting[] =>
  balance(cents(accounts.cash, accounts.funding, amountCents));

/** Money that goes back to the partner, or that a top-up had booked by mistake. */
export const withdraw = (accounts: Accounts, amountCents: number): Posting[] =>
  balance(cents(accounts.funding, accounts.cash, amountCents));

export const reserve = (accounts: Accounts, { liabilityCents }: Obligation): Posting[] =>
  balance(cents(accounts.funding, accounts.reserved, liabilityCents));

export const release = (accounts: Accounts, { liabilityCents }: Obligation): Posting[] =>
  balance(cents(accounts.reserved, accounts.funding, liabilityCents));

/** The customer claims: what was reserved is now owed to them, along with the points. */
export const claim = (accounts: Accounts, reward: Obligation): Posting[] =>
  balance([
    ...cents(accounts.reserved, accounts.payable(reward.customerId), reward.liabilityCents),
    ...(accounts.points
      ? points(accounts.points.issued, accounts.points.customer(reward.customerId), reward.points)
      : []),
  ]);

/** Where a customer's points and the money behind them are: to be spent, held at a checkout, or spent. */
export type RedemptionPlace = 'FREE' | 'HELD' | 'SPENT';

/**
 * Moves a customer's points, and their share of what the customer is owed, from one place to another.
 * @param worth.owedCents the share, as `shareOf` had it when the points were redeemed
 */
export function moveRedeemed(
  customerId: string,
  { points: moved, owedCents }: { points: number; owedCents: number },
  from: RedemptionPlace,
  to: RedemptionPlace,
): Posting[] {
  const { payable, held, redeemed, points: pointsAccounts } = liveAccounts;
  const places = {
    FREE: [payable(customerId), pointsAccounts.customer(customerId)],
    HELD: [held.cents(customerId), held.points(customerId)],
    SPENT: [redeemed, pointsAccounts.redeemed],
  } as const satisfies Record<RedemptionPlace, unknown>;
  const [fromCents, fromPoints] = places[from];
  const [toCents, toPoints] = places[to];
  return balance(
    [...cents(fromCents, toCents, owedCents), ...points(fromPoints, toPoints, moved)],
    [fromCents, fromPoints],
  );
}

/**
 * What some of a customer's points are worth, in cents: their share of what is owed, rounded down. The last
 * point takes the rest.
 */
export function shareOf(
  { owedCents, points }: { owedCents: number; points: number },
  spentPoints: number,
): number {
  if (spentPoints >= points) return owedCents;
  return Number((BigInt(owedCents) * BigInt(spentPoints)) / BigInt(points));
}

/**
 * An operator upholds the refund of a claimed reward. Its points and money are taken back as far as
 * the customer still holds them, and never more than the reward's own; what was spent is written
 * off, and no balance goes below zero (docs/concepts/rewards.md, Reward states). Points and money stay
 * together: while money of other rewards is owed, a point stays with it, and points that stay keep
 * at least a cent (docs/concepts/money.md, Points of different worth).
 */
export function uphold(
  accounts: Accounts,
  reward: Obligation,
  balanceOf: BalanceOf,
): { kind: 'CLAWBACK' | 'WRITE_OFF'; postings: Posting[] } {
  const payable = accounts.payable(reward.customerId);
  const customer = accounts.points?.customer(reward.customerId);
  const back = takenBack(reward, {
    owedCents: balanceOf(payable),
    points: customer === undefined ? null : balanceOf(customer),
  });
  const lostCents = reward.liabilityCents - back.cents;
  const lostPoints = customer === undefined ? 0 : reward.points - back.points;
  const postings = balance(
    [
      ...cents(payable, accounts.funding, back.cents),
      ...cents(accounts.redeemed, accounts.writeOff(reward.customerId), lostCents),
      ...(accounts.points && customer !== undefined
        ? [
            ...points(customer, accounts.points.issued, back.points),
            ...points(
              accounts.points.redeemed,
              accounts.points.writeOff(reward.customerId),
              lostPoints,
            ),
          ]
        : []),
    ],
    customer === undefined ? [payable] : [payable, customer],
  );
  return { kind: lostCents > 0 || lostPoints > 0 ? 'WRITE_OFF' : 'CLAWBACK', postings };
}

/**
 * What was written off of a customer is settled from what they have gained since: points and money go back to
 * the partner, as an upheld refund would have taken them, and no longer count as lost.
 * @returns none if nothing was written off, or nothing of it can be settled
 */
export function settle(customerId: string, balanceOf: BalanceOf): Posting[] {
  const { funding, redeemed, payable, writeOff, points: pointsAccounts } = liveAccounts;
  const [owed, lost] = [payable(customerId), writeOff(customerId)];
  const [held, lostPoints] = [
    pointsAccounts.customer(customerId),
    pointsAccounts.writeOff(customerId),
  ];
  const back = takenBack(
    { liabilityCents: balanceOf(lost), points: balanceOf(lostPoints) },
    { owedCents: balanceOf(owed), points: balanceOf(held) },
  );
  return balance(
    [
      ...cents(owed, funding, back.cents),
      ...cents(lost, redeemed, back.cents),
      ...points(held, pointsAccounts.issued, back.points),
      ...points(lostPoints, pointsAccounts.redeemed, back.points),
    ],
    [owed, lost, held, lostPoints],
  );
}

/**
 * What can be taken back of a customer's points and the money that is owed for them: at most what the refund is
 * worth.
 * @param held.points null in TEST, where nobody holds points
 */
export function takenBack(
  { points: worthPoints, liabilityCents }: Pick<Obligation, 'points' | 'liabilityCents'>,
  { owedCents, points: heldPoints }: { owedCents: number; points: number | null },
): { cents: number; points: number } {
  const doPointsStay = heldPoints !== null && heldPoints > worthPoints;
  const most = doPointsStay ? Math.max(0, owedCents - 1) : owedCents;
  const backCents = Math.min(liabilityCents, most);
  const stayingPoints = owedCents > backCents ? 1 : 0;
  return {
    cents: backCents,
    points: Math.min(worthPoints, Math.max(0, (heldPoints ?? 0) - stayingPoints)),
  };
}

/** A period is billed: the partner owes the amount, which is our revenue. */
export const invoice = (totalCents: number): Posting[] =>
  balance(cents(planReceivable, revenue, totalCents));

/** A payment of an invoice, or of a part of it, arrives. */
export const payInvoice = (amountCents: number): Posting[] =>
  balance(cents(planCash, planReceivable, amountCents));

/** A payment that was recorded did not arrive. */
export const reversePayment = (amountCents: number): Posting[] =>
  balance(cents(planReceivable, planCash, amountCents));

/** An invoice is taken back as a whole. */
export const creditNote = (totalCents: number): Posting[] =>
  balance(cents(revenue, planReceivable, totalCents));

/**
 * What a reward costs the partner, in minor units, rounded up, so that the reservation always suffices.
 * @throws RangeError beyond the safe integers
 */
export function liabilityCentsOf(
  rewardPoints: number,
  { pointValueMicros, currency }: { pointValueMicros: number; currency: string },
): number {
  const perMinor = microsPerMinor(currency);
  const micros = BigInt(rewardPoints) * BigInt(pointValueMicros);
  const total = (micros + perMinor - 1n) / perMinor;
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');
  return Number(total);
}

/** Whose funds pay for rewards: the partner's in LIVE, the integration's test funding in TEST. */
export type WalletRef =
  | { mode: 'LIVE'; partnerId: string }
  | { mode: 'TEST'; partnerId: string; integrationId: string };

/** The wallet that funds a reward or an event. */
export function walletOf(of: { mode: Mode; partnerId: string; integrationId: string }): WalletRef {
  const { mode, partnerId, integrationId } = of;
  return mode === 'LIVE' ? { mode, partnerId } : { mode, partnerId, integrationId };
}

/** The id of a wallet, unique within the partner. */
export function walletIdOf(wallet: WalletRef): string {
  return wallet.mode === 'LIVE' ? wallet.partnerId : wallet.integrationId;
}
