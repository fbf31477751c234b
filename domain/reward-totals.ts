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

/** How many rewards wait for funds. */
export const waitingIn = ({ rewards }: { rewards: RewardTotals }): number =>
  Object.values(rewards).reduce(
    (sum, { AWAITING_FUNDING }) => sum + (AWAITING_FUNDING?.rewards ?? 0),
    0,
  );
