import { microsPerMinor } from './currencies.ts';
import type { Mode } from './mode.ts';

/**
 * The accounts of a wallet (docs/concepts/money.md), the same in both modes. A positive balance is owed to the
 * account's holder. `cash`, which is what we hold, `planReceivable`, which is what we are owed, and `ended` run negative.
 */
export const accounts = {
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
  /** What has ended of a customer's points, until a refund means it, and all of it in cents as the other side. */
  ended: {
    all: 'ended',
    cents: (customerId: string) => `ended:${customerId}`,
    points: (customerId: string) => `endedPoints:${customerId}`,
  },
  points: {
    customer: (customerId: string) => `points:${customerId}`,
    issued: 'pointsIssued',
    redeemed: 'pointsRedeemed',
    writeOff: (customerId: string) => `pointsWriteOff:${customerId}`,
  },
} as const;

/**
 * The account that pays for a reward, and gets back what is not spent: `funding`, or `cash` in a wallet without
 * limit, as if every reward were topped up for.
 */
export type Payer = typeof accounts.funding | typeof accounts.cash;

/** A TEST wallet has no limit until test funding is added: its rewards never wait. */
export const isUnlimited = ({
  mode,
  balances,
}: {
  mode: Mode;
  balances: Readonly<Record<string, number>>;
}): boolean => mode === 'TEST' && balances[accounts.funding] === undefined;

/** What paid for a reward when it was last funded. */
export const payerOf = ({ moves }: { moves: readonly { move: string; payer?: Payer }[] }): Payer =>
  moves.findLast(({ move }) => move === 'FUND')?.payer ?? accounts.funding;

/** Our own accounts, for what partners pay for their plans. */
export const planReceivable = 'planReceivable';
export const revenue = 'revenue';
/** What was paid for invoices, apart from `cash`, which is the other side of the funding. */
export const planCash = 'planCash';

/** Whether the account holds somebody's money or points: such a balance never goes below zero. */
export function mustNotGoNegative(account: string): boolean {
  return /^((funding|reserved|payable|points|held|heldPoints|writeOff|pointsWriteOff)(:|$)|(ended|endedPoints):)/.test(
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

export const topUpPostings = (amountCents: number): Posting[] =>
  balance(cents(accounts.cash, accounts.funding, amountCents));

/** Money that goes back to the partner, or that a top-up had booked by mistake. */
export const withdrawalPostings = (amountCents: number): Posting[] =>
  balance(cents(accounts.funding, accounts.cash, amountCents));

export const reservationPostings = (payer: Payer, { liabilityCents }: Obligation): Posting[] =>
  balance(cents(payer, accounts.reserved, liabilityCents));

export const releasePostings = (payer: Payer, { liabilityCents }: Obligation): Posting[] =>
  balance(cents(accounts.reserved, payer, liabilityCents));

/** The customer claims: what was reserved is now owed to them, along with the points. */
export const claimPostings = ({
  customerId,
  liabilityCents,
  points: claimed,
}: Obligation): Posting[] =>
  balance([
    ...cents(accounts.reserved, accounts.payable(customerId), liabilityCents),
    ...points(accounts.points.issued, accounts.points.customer(customerId), claimed),
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
  const { payable, held, redeemed, points: pointsAccounts } = accounts;
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

/** Points of a customer end: their money goes back to the partner. What has ended is remembered for later refunds. */
export function pointsEndPostings(
  payer: Payer,
  customerId: string,
  { points: gone, cents: backCents }: { points: number; cents: number },
): Posting[] {
  const { payable, ended, points: pointsAccounts } = accounts;
  return balance([
    ...cents(payable(customerId), payer, backCents),
    ...cents(ended.all, ended.cents(customerId), backCents),
    ...points(pointsAccounts.customer(customerId), ended.points(customerId), gone),
  ]);
}

/**
 * What of a reward that is taken back has ended before: it went back to the partner then, and is neither taken nor
 * written off again.
 */
export function endedOf(
  { points: worthPoints, liabilityCents }: Pick<Obligation, 'points' | 'liabilityCents'>,
  ended: { cents: number; points: number },
): { cents: number; points: number } {
  const gone = Math.min(worthPoints, ended.points);
  if (gone === 0) return { points: 0, cents: 0 };
  const share = shareOf({ owedCents: liabilityCents, points: worthPoints }, gone);
  return { points: gone, cents: Math.min(share, ended.cents) };
}

/**
 * An operator upholds the refund of a claimed reward. Its points and money are taken back as far as
 * the customer still holds them, and never more than the reward's own; what ended before came back then, what was spent is written
 * off, and no balance goes below zero (docs/concepts/rewards.md, Reward states). Points and money stay
 * together: while money of other rewards is owed, a point stays with it, and points that stay keep
 * at least a cent (docs/concepts/money.md, Points of different worth).
 */
export function uphold(
  payer: Payer,
  reward: Obligation,
  balanceOf: BalanceOf,
): { kind: 'CLAWBACK' | 'WRITE_OFF'; postings: Posting[] } {
  const payable = accounts.payable(reward.customerId);
  const customer = accounts.points.customer(reward.customerId);
  const { ended } = accounts;
  const [endedCents, endedPoints] = [
    ended.cents(reward.customerId),
    ended.points(reward.customerId),
  ];
  const gone = endedOf(reward, { cents: balanceOf(endedCents), points: balanceOf(endedPoints) });
  const left = {
    points: reward.points - gone.points,
    liabilityCents: reward.liabilityCents - gone.cents,
  };
  const back = takenBack(left, { owedCents: balanceOf(payable), points: balanceOf(customer) });
  const lostCents = left.liabilityCents - back.cents;
  const lostPoints = left.points - back.points;
  const postings = balance(
    [
      ...cents(endedCents, ended.all, gone.cents),
      ...cents(payable, payer, back.cents),
      ...cents(accounts.redeemed, accounts.writeOff(reward.customerId), lostCents),
      { account: customer, unit: 'POINTS', amount: 0 - back.points },
      { account: endedPoints, unit: 'POINTS', amount: 0 - gone.points },
      { account: accounts.points.issued, unit: 'POINTS', amount: back.points + gone.points },
      ...points(accounts.points.redeemed, accounts.points.writeOff(reward.customerId), lostPoints),
    ],
    [payable, customer],
  );
  return { kind: lostCents > 0 || lostPoints > 0 ? 'WRITE_OFF' : 'CLAWBACK', postings };
}

/**
 * What was written off of a customer is settled from what they have gained since: points and money go back to
 * the partner, as an upheld refund would have taken them, and no longer count as lost.
 * @returns none if nothing was written off, or nothing of it can be settled
 */
export function settlementPostings(
  payer: Payer,
  customerId: string,
  balanceOf: BalanceOf,
): Posting[] {
  const [owed, lost] = [accounts.payable(customerId), accounts.writeOff(customerId)];
  const [held, lostPoints] = [
    accounts.points.customer(customerId),
    accounts.points.writeOff(customerId),
  ];
  const back = takenBack(
    { liabilityCents: balanceOf(lost), points: balanceOf(lostPoints) },
    { owedCents: balanceOf(owed), points: balanceOf(held) },
  );
  return balance(
    [
      ...cents(owed, payer, back.cents),
      ...cents(lost, accounts.redeemed, back.cents),
      ...points(held, accounts.points.issued, back.points),
      ...points(lostPoints, accounts.points.redeemed, back.points),
    ],
    [owed, lost, held, lostPoints],
  );
}

/**
 * What can be taken back of a customer's points and the money that is owed for them: at most what the refund is
 * worth.
 */
export function takenBack(
  { points: worthPoints, liabilityCents }: Pick<Obligation, 'points' | 'liabilityCents'>,
  { owedCents, points: heldPoints }: { owedCents: number; points: number },
): { cents: number; points: number } {
  const most = heldPoints > worthPoints ? Math.max(0, owedCents - 1) : owedCents;
  const backCents = Math.min(liabilityCents, most);
  const stayingPoints = owedCents > backCents ? 1 : 0;
  return {
    cents: backCents,
    points: Math.min(worthPoints, Math.max(0, heldPoints - stayingPoints)),
  };
}

/** A period is billed: the partner owes the amount, which is our revenue. */
export const invoicePostings = (totalCents: number): Posting[] =>
  balance(cents(planReceivable, revenue, totalCents));

/** A payment of an invoice, or of a part of it, arrives. */
export const paymentPostings = (amountCents: number): Posting[] =>
  balance(cents(planCash, planReceivable, amountCents));

/** A payment that was recorded did not arrive. */
export const paymentReversalPostings = (amountCents: number): Posting[] =>
  balance(cents(planReceivable, planCash, amountCents));

/** An invoice is taken back as a whole. */
export const creditNotePostings = (totalCents: number): Posting[] =>
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

/** A wallet: a partner's money in one mode. */
export interface WalletRef {
  partnerId: string;
  mode: Mode;
}

/** The wallet of anything that belongs to a partner and a mode. */
export const walletOf = ({ partnerId, mode }: WalletRef): WalletRef => ({ partnerId, mode });

/** `<partner>/<mode>` */
export const walletIdOf = ({ partnerId, mode }: WalletRef): string => `${partnerId}/${mode}`;
