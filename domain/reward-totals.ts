import type { Reward, RewardState } from './reward.ts';

/** What some rewards come to. */
export interface Total {
  rewards: number;
  points: number;
  cents: number;
}

/** What rewards come to, by currency and state. A state that rewards have left stays, as zeros. */
export type RewardTotals = Readonly<
  Record<string, Readonly<Partial<Record<RewardState, Readonly<Total>>>>>
>;

const counted = ['currency', 'state', 'points', 'liabilityCents'] as const;
type Counted = Pick<Reward, (typeof counted)[number]>;

/** The totals after a reward changed, or was made if there was none before; the same object if nothing moved. */
export function totalsAfter(
  totals: RewardTotals,
  before: Counted | undefined,
  after: Counted,
): RewardTotals {
  if (before === undefined) return plus(totals, after, 1);
  const isCountedAlike = counted.every((field) => before[field] === after[field]);
  return isCountedAlike ? totals : plus(plus(totals, before, -1), after, 1);
}

function plus(
  totals: RewardTotals,
  { currency, state, points, liabilityCents }: Counted,
  sign: 1 | -1,
): RewardTotals {
  const total = totals[currency]?.[state] ?? { rewards: 0, points: 0, cents: 0 };
  const sum = {
    rewards: total.rewards + sign,
    points: total.points + sign * points,
    cents: total.cents + sign * liabilityCents,
  };
  return { ...totals, [currency]: { ...totals[currency], [state]: sum } };
}

/** What the rewards of a wallet that wait for its funds come to. */
export function waitingTotal({ rewards }: { rewards: RewardTotals }): Total {
  const totals = Object.values(rewards).flatMap((states) => states.AWAITING_FUNDING ?? []);
  const sum = (unit: keyof Total) => totals.reduce((total, one) => total + one[unit], 0);
  return { rewards: sum('rewards'), points: sum('points'), cents: sum('cents') };
}

/** How many rewards of a wallet wait for its funds. */
export const waitingIn = (wallet: { rewards: RewardTotals }): number =>
  waitingTotal(wallet).rewards;
