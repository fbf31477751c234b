import { claimExpiry } from './earning-rules.ts';
import { accounts, type BalanceOf, shareOf } from './postings.ts';
import type { Reward } from './reward.ts';
import { dayMs } from './utc-days.ts';

/**
 * Points that end: a partner can let a customer's points end after a time without activity
 * (docs/decisions/054-points-that-end.md). Those that were earned before never do.
 */

/** After how long without activity points end: ISO 8601. */
export const pointsLives = ['P12M', 'P24M'] as const;
export type PointsLife = (typeof pointsLives)[number];

/** A setting in force, as its wallet has it. */
export interface PointsEnd {
  /** `pte_…` */
  settingId: string;
  after: PointsLife;
  since: Date;
}

/** How a customer stands under a setting, from their first activity under it. */
export interface Ending {
  settingId: string;
  /** The number of the entry of the first activity. */
  fromSeq: number;
  /** The points that never end: what is left of those from before the setting. What can end is spent first. */
  kept: number;
  /** The most that `kept` can be again if spent points come back. */
  keptAtMost: number;
  /** The newest activity: a claim, or points that were spent, held or came back. */
  activeAt: Date;
  endsAt: Date;
  /** When a notice or the end is due; null if nothing can end until the next activity. */
  nextAt: Date | null;
  /** How many of the notices were given. */
  told: number;
}

/** When rewards were claimed whose points have ended, and could still be refunded: after the first, until the second. */
export interface EndedWindow {
  after: Date;
  until: Date;
}

/** What this is about of a customer's balance. */
export interface EndingBalance {
  points: number;
  payableCents: number;
  heldPoints: number;
  ending?: Ending;
  ended?: EndedWindow;
  /** What has ended and no refund has asked back, in cents and points. */
  endedCents?: number;
  endedPoints?: number;
}

/** How many days before the end a customer is told. */
export const noticeDays = [30, 7] as const;

/** When points end that had their newest activity at a time. Months are counted in UTC. */
export const endOf = (after: PointsLife, activeAt: Date): Date =>
  new Date(claimExpiry(activeAt.toISOString(), after));

const before = (at: Date, days: number): Date => new Date(at.getTime() - days * dayMs);

/** When something is due after so many notices. */
export const nextAtOf = (endsAt: Date, told: number): Date => before(endsAt, noticeDays[told] ?? 0);

/**
 * How a customer stands after an activity.
 * @param heldBefore their points before it, with those held at a checkout
 * @param seq the number of its entry
 * @param back points from before the setting, or that may be, that came back with it
 */
export function renewed(
  setting: PointsEnd,
  { points, heldPoints, ending }: EndingBalance,
  { at, heldBefore, seq }: { at: Date; heldBefore: number; seq: number },
  back: { points: number; isOlder: boolean } = { points: 0, isOlder: false },
): Ending {
  const known =
    ending?.settingId === setting.settingId
      ? ending
      : { fromSeq: seq, kept: heldBefore, keptAtMost: heldBefore };
  const keptAtMost = known.keptAtMost + (back.isOlder ? back.points : 0);
  const endsAt = endOf(setting.after, at);
  return {
    settingId: setting.settingId,
    fromSeq: known.fromSeq,
    kept: Math.min(known.kept + back.points, keptAtMost, points + heldPoints),
    keptAtMost,
    activeAt: at,
    endsAt,
    nextAt: nextAtOf(endsAt, 0),
    told: 0,
  };
}

/** What would end of a customer's points: never what is held at a checkout, or was there before the setting. */
export function endingOf({ points, payableCents, heldPoints, ending }: EndingBalance): {
  points: number;
  cents: number;
} {
  if (ending === undefined) return { points: 0, cents: 0 };
  const ends = Math.max(0, Math.min(points, points + heldPoints - ending.kept));
  if (ends === 0) return { points: 0, cents: 0 };
  return { points: ends, cents: shareOf({ owedCents: payableCents, points }, ends) };
}

/** When and what of a customer's points end under the setting in force; null if none would. */
export function endOfPoints(
  setting: PointsEnd | null | undefined,
  balance: EndingBalance | null | undefined,
): { at: Date; points: number } | null {
  if (!setting || !balance?.ending || balance.ending.nextAt === null) return null;
  if (balance.ending.settingId !== setting.settingId) return null;
  const { points } = endingOf(balance);
  return points === 0 ? null : { at: balance.ending.endsAt, points };
}

/** What is due about a customer's points. */
export type DueEnd =
  | { do: 'NOTHING' }
  /** Nothing of them can end until the next activity. */
  | { do: 'FORGET' }
  /** The notice by its number, and when the points end: no earlier than it says, however late it is given. */
  | { do: 'TELL'; nth: number; days: number; endsAt: Date }
  | { do: 'END' };

/** @param isEarly by the TEST clock, which does not wait for the time */
export function dueEnd(
  setting: PointsEnd | null | undefined,
  balance: EndingBalance,
  at: Date,
  isEarly = false,
): DueEnd {
  const { ending } = balance;
  if (!ending || ending.nextAt === null || (!isEarly && ending.nextAt > at)) {
    return { do: 'NOTHING' };
  }
  if (setting?.settingId !== ending.settingId || endingOf(balance).points === 0) {
    return { do: 'FORGET' };
  }
  const days = noticeDays[ending.told];
  if (days === undefined) return { do: 'END' };
  const soonest = new Date(at.getTime() + days * dayMs);
  const isLate = isEarly || soonest > ending.endsAt;
  return { do: 'TELL', nth: ending.told, days, endsAt: isLate ? soonest : ending.endsAt };
}

/** Whether the points of a reward were among those that have ended. */
export function isAmongEnded(
  { moves }: Pick<Reward, 'moves'>,
  window: EndedWindow | undefined,
): boolean {
  const claimed = moves.findLast(({ move }) => move === 'CLAIM')?.at;
  if (claimed === undefined || window === undefined) return false;
  return claimed > window.after && claimed <= window.until;
}

/** Balances as a refund of a reward sees them: without what has ended, unless its points were among that. */
export function balancesFor(
  reward: Pick<Reward, 'moves' | 'customerId'>,
  window: EndedWindow | undefined,
  balanceOf: BalanceOf,
): BalanceOf {
  const { cents, points } = accounts.ended;
  const { customerId } = reward;
  const hidden = isAmongEnded(reward, window) ? [] : [cents(customerId), points(customerId)];
  return (account) => (hidden.includes(account) ? 0 : balanceOf(account));
}
