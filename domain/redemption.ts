import { digitsOf } from './currencies.ts';
import type { Due } from './due.ts';
import type { Mode } from './mode.ts';
import { type EndedWindow, isAmongEnded } from './points-end.ts';
import { endedOf, shareOf, takenBack } from './postings.ts';
import { lossOf } from './refunds.ts';
import type { Reward } from './reward.ts';

/** A redemption: its states, and what points pay for (docs/concepts/rewards.md, Redemptions). */

/** From each state, what can happen to a redemption, and the state that follows. */
export const redemptionTable = {
  HELD: { CAPTURE: 'CAPTURED', RELEASE: 'RELEASED', EXPIRE: 'EXPIRED' },
  CAPTURED: { REVERSE: 'REVERSED', REVERSE_PART: 'CAPTURED' },
  RELEASED: {},
  EXPIRED: {},
  REVERSED: {},
} as const satisfies Record<string, Partial<Record<RedemptionMove, string>>>;

export type RedemptionStatus = keyof typeof redemptionTable;

export const redemptionStatuses = Object.keys(redemptionTable) as RedemptionStatus[];

/** What a partner does with a redemption after it was made. */
export const redemptionActions = ['CAPTURE', 'RELEASE', 'REVERSE'] as const;
export type RedemptionAction = (typeof redemptionActions)[number];
/** A reversal of a part leaves the rest spent. */
export type RedemptionMove = RedemptionAction | 'EXPIRE' | 'REVERSE_PART';

/** The state that an action leaves; a redemption that has it is answered as it is. */
export const doneBy = { CAPTURE: 'CAPTURED', RELEASE: 'RELEASED', REVERSE: 'REVERSED' } as const;

/** Points of a redemption, what they pay for, and their share of what the customer was owed, in minor units. */
export type RedemptionPart = Pick<Redemption, 'points' | 'amountCents' | 'owedCents'>;

/** What a partner asks to be given back of a redemption. */
export type AskedPart = { points: number } | { amountCents: number };

/** Points that pay for an order, or are held for one. */
export interface Redemption {
  /** `red_…` */
  _id: string;
  partnerId: string;
  mode: Mode;
  /** Null for an operator's. */
  integrationId: string | null;
  /** Unique within the integration, or among the operators' of a partner. */
  externalRedemptionId: string;
  /** The order that they pay for, if the partner names it. */
  externalOrderId: string | null;
  customerId: string;
  points: number;
  /** What they pay for, in minor units of the currency. */
  amountCents: number;
  /** Their share of what the customer was owed, which moves with them, in minor units. */
  owedCents: number;
  currency: string;
  status: RedemptionStatus;
  /** Until when the points are held; null if they never were. */
  expiresAt: Date | null;
  /** The customer's day that they count in, `yyyy-mm-dd`, if the partner has a daily limit; otherwise null. */
  customerDay: string | null;
  moves: readonly {
    move: RedemptionMove;
    at: Date;
    status: RedemptionStatus;
    /** Of a reversal of a part. */
    part?: RedemptionPart;
  }[];
  version: number;
  /** Until its hold has a workflow, or its customer is told. */
  due: Due<'HOLD' | 'TELL'> | null;
  createdAt: Date;
  updatedAt: Date;
}

/** How often something of it came back after it was spent. */
export const reversalsOf = ({ moves }: Pick<Redemption, 'moves'>): number =>
  moves.filter(({ move }) => move === 'REVERSE' || move === 'REVERSE_PART').length;

/** Identifies a redemption to its workflows, which read everything else from the database. */
export interface RedemptionRef {
  partnerId: string;
  redemptionId: string;
}

/** How a partner's customers may spend their points. */
export type RedemptionSettings = {
  isAllowed: boolean;
  /** Points for one unit of the currency; null if a point pays for what it cost. */
  pointsPerUnit: number | null;
  /** The most points that a customer may redeem in a day; null for no limit. */
  maxPointsPerCustomerDay: number | null;
};

export const defaultRedemptionSettings: RedemptionSettings = {
  isAllowed: true,
  pointsPerUnit: null,
  maxPointsPerCustomerDay: null,
};

/** How long points are held unless they are captured. */
export const holdMs = 15 * 60_000;

/** What a customer can spend: points, and the money behind them in minor units. */
export interface Holdings {
  points: number;
  owedCents: number;
}

/** What of a customer's points has ended, which refunds of rewards that were among them do not take again. */
export interface EndedHoldings {
  endedPoints?: number | undefined;
  endedCents?: number | undefined;
  ended?: EndedWindow | undefined;
}

/** What remains of a customer's points and money if the open reviews of their rewards are upheld. */
export function remainingOf(
  held: Holdings,
  rewards: readonly ReviewedReward[],
  { endedPoints = 0, endedCents = 0, ended }: EndedHoldings = {},
): Holdings {
  let memo = { points: endedPoints, cents: endedCents };
  return rewards
    .filter(({ state }) => state === 'IN_REVIEW')
    .reduce(({ points, owedCents }, reward) => {
      const lost = lossOf(reward, reward.afterReview);
      const gone = isAmongEnded(reward, ended) ? endedOf(lost, memo) : { points: 0, cents: 0 };
      memo = { points: memo.points - gone.points, cents: memo.cents - gone.cents };
      const left = {
        points: lost.points - gone.points,
        liabilityCents: lost.liabilityCents - gone.cents,
      };
      const back = takenBack(left, { points, owedCents });
      return { points: points - back.points, owedCents: owedCents - back.cents };
    }, held);
}

type ReviewedReward = Pick<Reward, 'state' | 'points' | 'liabilityCents' | 'afterReview' | 'moves'>;

/** How points become an amount. */
export interface Rate {
  pointsPerUnit: number | null;
  currency: string;
}

/** The minor units of one unit of a currency: 100 for USD, 1 for JPY. */
const minorUnitsOf = (currency: string): bigint => 10n ** BigInt(digitsOf(currency));

/**
 * What points pay for, in minor units, rounded down: at the partner's rate or, without one, their share of
 * what the customer is owed.
 * @param points at most those held
 */
export function worthOf(held: Holdings, points: number, { pointsPerUnit, currency }: Rate): number {
  if (pointsPerUnit === null) return shareOf(held, points);
  const worth = (BigInt(points) * minorUnitsOf(currency)) / BigInt(pointsPerUnit);
  return Number(worth > maxSafe ? maxSafe : worth);
}

/**
 * What points can move at worst, in minor units: what they cost or, if that is more, what they pay for at the
 * partner's rate.
 */
export function worstCentsOf(
  { points, liabilityCents }: { points: number; liabilityCents: number },
  { currency, redemptions }: { currency: string; redemptions?: RedemptionSettings | undefined },
): number {
  const pointsPerUnit = redemptions?.pointsPerUnit ?? null;
  if (pointsPerUnit === null) return liabilityCents;
  const none = { points: 0, owedCents: 0 };
  return Math.max(liabilityCents, worthOf(none, points, { pointsPerUnit, currency }));
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The fewest points that pay for an amount; infinite if no number of them does.
 * @param amountCents at least 1, in minor units
 */
export function pointsFor(held: Holdings, amountCents: number, rate: Rate): number {
  const { pointsPerUnit, currency } = rate;
  const [points, worth] =
    pointsPerUnit === null
      ? [BigInt(held.points), BigInt(held.owedCents)]
      : [BigInt(pointsPerUnit), minorUnitsOf(currency)];
  if (worth === 0n) return Number.POSITIVE_INFINITY;
  return Number((BigInt(amountCents) * points + worth - 1n) / worth);
}

/**
 * What can be spent now: all that is held, or what the partner's daily limit leaves of it.
 * @param redeemedToday the points that count in the customer's day
 */
export function spendable(
  held: Holdings,
  redeemedToday: number,
  { maxPointsPerCustomerDay: max }: Pick<RedemptionSettings, 'maxPointsPerCustomerDay'>,
  rate: Rate,
): { points: number; amountCents: number } {
  const left = max === null ? held.points : Math.max(0, max - redeemedToday);
  const points = Math.min(held.points, left);
  return { points, amountCents: worthOf(held, points, rate) };
}

const nothing: RedemptionPart = { points: 0, amountCents: 0, owedCents: 0 };

/** What of a redemption came back after it was spent. */
export const reversedOf = ({
  status,
  moves,
  ...whole
}: Pick<Redemption, 'status' | 'moves'> & RedemptionPart): RedemptionPart =>
  status === 'REVERSED'
    ? { points: whole.points, amountCents: whole.amountCents, owedCents: whole.owedCents }
    : moves.reduce((sum, { part = nothing }) => plus(sum, part), nothing);

const plus = (one: RedemptionPart, other: RedemptionPart): RedemptionPart => ({
  points: one.points + other.points,
  amountCents: one.amountCents + other.amountCents,
  owedCents: one.owedCents + other.owedCents,
});

/** What of a redemption has not come back. */
export function leftOf(redemption: Parameters<typeof reversedOf>[0]): RedemptionPart {
  const reversed = reversedOf(redemption);
  return {
    points: redemption.points - reversed.points,
    amountCents: redemption.amountCents - reversed.amountCents,
    owedCents: redemption.owedCents - reversed.owedCents,
  };
}

/**
 * A part of a redemption that comes back: the points with what they pay for, or the amount with its points, in the
 * proportion of the whole. What was given back so far is rounded down each time, so that parts never exceed the
 * whole, and the last one takes the rest.
 * @returns undefined if that is more than is left
 */
export function partOf(
  redemption: Parameters<typeof reversedOf>[0],
  asked: AskedPart,
): RedemptionPart | undefined {
  const left = leftOf(redemption);
  const [wanted, most] =
    'points' in asked ? [asked.points, left.points] : [asked.amountCents, left.amountCents];
  if (wanted > most) return undefined;
  if (wanted === most) return left;
  const { points, amountCents, owedCents } = redemption;
  const reversed = reversedOf(redemption);
  const pointsAfter =
    'points' in asked
      ? reversed.points + wanted
      : Math.max(reversed.points, shareIn(points, reversed.amountCents + wanted, amountCents));
  const amountAfter =
    'points' in asked
      ? Math.max(reversed.amountCents, shareIn(amountCents, pointsAfter, points))
      : reversed.amountCents + wanted;
  return {
    points: pointsAfter - reversed.points,
    amountCents: amountAfter - reversed.amountCents,
    owedCents: shareIn(owedCents, pointsAfter, points) - reversed.owedCents,
  };
}

/** The share of a whole that belongs to a part of another one, rounded down. */
const shareIn = (whole: number, part: number, of: number): number =>
  Number((BigInt(whole) * BigInt(part)) / BigInt(of));

/** The references of a redemption's entries, unique within a wallet. */
export const redemptionReferences = {
  hold: (redemptionId: string) => `hold:${redemptionId}`,
  redeem: (name: string) => `redeem:${name}`,
  unhold: (redemptionId: string) => `unhold:${redemptionId}`,
  /** @param nth of its reversals, from 1 */
  reverse: (redemptionId: string, nth = 1) =>
    nth === 1 ? `reverse:${redemptionId}` : `reverse:${redemptionId}:${nth}`,
};

/** A redemption before its points are priced. */
export type NewRedemption = Omit<
  Redemption,
  | 'points'
  | 'amountCents'
  | 'owedCents'
  | 'status'
  | 'expiresAt'
  | 'moves'
  | 'version'
  | 'due'
  | 'createdAt'
  | 'updatedAt'
> & {
  /** Either of them. */
  asked: { points: number } | { amountCents: number };
  isHeld: boolean;
};
