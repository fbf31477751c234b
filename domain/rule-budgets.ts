import type { Known } from './known.ts';
import type { Mode } from './mode.ts';
import { walletIdOf } from './postings.ts';
import { type Announcement, withoutReward } from './webhooks.ts';

/** The points that purchases may earn, as a rule says. Rules of a mode whose budgets have one name share one count. */
export interface RuleBudget {
  name: string;
  /** In all; null for no limit. */
  totalPoints: number | null;
  /** In a calendar month of the partner's time zone; null for no limit. */
  monthPoints: number | null;
}

/** The budget of a purchase's rule, and the month that the purchase counts in. */
export interface CountedBudget extends RuleBudget {
  /** `yyyy-mm`, of when it happened, in the partner's time zone. */
  month: string;
}

/** The points that count against a budget, as stored. */
export interface BudgetUse {
  /** `budgetId` */
  _id: string;
  partnerId: string;
  mode: Mode;
  name: string;
  /** In all. */
  points: number;
  /** By month, `yyyy-mm`. */
  months: Readonly<Record<string, number>>;
}

/** The bounds of a budget. */
export const budgetLimits = { nameChars: 60, points: 1_000_000_000_000 } as const;

interface Owner {
  partnerId: string;
  mode: Mode;
}

export const budgetId = (of: Owner, { name }: Pick<RuleBudget, 'name'>): string =>
  `${walletIdOf(of)}/${name}`;

/** The count that a reward's points are in; none without a budget. */
export const budgetIdsOf = (reward: Owner & { budget?: CountedBudget }): string[] =>
  reward.budget === undefined ? [] : [budgetId(reward, reward.budget)];

export const countedIn = (budget: RuleBudget, day: string): CountedBudget => ({
  ...budget,
  month: day.slice(0, 7),
});

/** One limit of a budget, and what counts against it. */
export interface BudgetLimit {
  of: 'TOTAL' | 'MONTH';
  limitPoints: number;
  usedPoints: number;
}

type Used = Pick<BudgetUse, 'points' | 'months'>;
const unused: Used = { points: 0, months: {} };

/** The limits of a budget, in all and in the month, as far as it has them. */
export function limitsOf(
  { totalPoints, monthPoints, month }: CountedBudget,
  { points, months }: Used = unused,
): BudgetLimit[] {
  return [
    ...(totalPoints === null
      ? []
      : [{ of: 'TOTAL', limitPoints: totalPoints, usedPoints: points } as const]),
    ...(monthPoints === null
      ? []
      : [{ of: 'MONTH', limitPoints: monthPoints, usedPoints: months[month] ?? 0 } as const]),
  ];
}

/** What is left of a limit: never less than none, though a reinstated reward, or a lower limit, may exceed it. */
export const leftOfLimit = ({ limitPoints, usedPoints }: BudgetLimit): number =>
  Math.max(0, limitPoints - usedPoints);

/** The points that a purchase can still earn: the least that is left of its limits. */
export const leftOfBudget = (budget: CountedBudget, used: Used | undefined): number =>
  Math.min(...limitsOf(budget, used).map(leftOfLimit));

/** What a budget's use is after points are added, or given back if negative. */
export const usedAfter = <Use extends Used>(
  use: Use,
  { month }: CountedBudget,
  points: number,
) => ({
  ...use,
  points: use.points + points,
  months: { ...use.months, [month]: (use.months[month] ?? 0) + points },
});

/** The part of a draft that has budgets. */
interface Budgets {
  partnerId: string;
  budgets: Known<BudgetUse>;
  announce(...announcements: Announcement[]): void;
}

/** A reward, as far as budgets count it. */
type Counted = Owner & {
  _id: string;
  budget?: CountedBudget;
  arithmetic: { ruleId: string };
};

/** Counts a reward's points against its budget, if it has one, and announces what they use up. */
export function spendBudget(draft: Budgets, reward: Counted & { points: number }, at: Date): void {
  const { budget } = reward;
  if (budget === undefined) return;
  const before = draft.budgets.get(budgetId(reward, budget));
  countInBudget(draft, reward, reward.points);
  const after = draft.budgets.get(budgetId(reward, budget));
  draft.announce(...budgetAnnouncements(reward, budget, { before, after }, at));
}

/** Points of a reward no longer count against its budget. */
export const giveBackBudget = (draft: Budgets, reward: Counted, points: number): void =>
  countInBudget(draft, reward, -points);

function countInBudget(draft: Budgets, reward: Counted, points: number): void {
  const { budget, partnerId, mode } = reward;
  if (budget === undefined || points === 0) return;
  const { name } = budget;
  const _id = budgetId(reward, budget);
  const before = draft.budgets.get(_id) ?? { _id, partnerId, mode, name, ...unused };
  draft.budgets.set(_id, usedAfter(before, budget, points));
}

/** The percentages of a limit at which the partner is told. */
const thresholds = [80, 100] as const;

/** The thresholds that one reward's points took a budget across. */
function budgetAnnouncements(
  { _id: rewardId, partnerId, mode, arithmetic: { ruleId } }: Counted,
  budget: CountedBudget,
  { before, after }: Record<'before' | 'after', Used | undefined>,
  at: Date,
): Announcement[] {
  const usedBefore = new Map(limitsOf(budget, before).map((one) => [one.of, one.usedPoints]));
  return limitsOf(budget, after).flatMap(({ of, limitPoints, usedPoints }) =>
    thresholds
      .filter((percent) => {
        const limit = limitPoints * percent;
        return (usedBefore.get(of) ?? 0) * 100 < limit && usedPoints * 100 >= limit;
      })
      .map(
        (percent): Announcement => ({
          type: 'budget.threshold',
          partnerId,
          mode,
          at,
          cause: `${rewardId} ${of} ${percent}`,
          ...withoutReward,
          data: {
            budget: budget.name,
            of,
            month: of === 'MONTH' ? budget.month : null,
            percent,
            usedPoints,
            limitPoints,
            ruleId,
          },
        }),
      ),
  );
}
