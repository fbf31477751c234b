import type { WalletRef } from '../../domain/postings.ts';
import {
  type BudgetUse,
  budgetId,
  type CountedBudget,
  leftOfBudget,
  type RuleBudget,
} from '../../domain/rule-budgets.ts';
import type { Models } from '../schemas/index.ts';

/** What counts against a budget; null before the first points (docs/concepts/rewards.md, Budgets). */
export const findBudgetUse = async (
  { ruleBudgets }: Pick<Models, 'ruleBudgets'>,
  of: WalletRef,
  budget: Pick<RuleBudget, 'name'>,
): Promise<BudgetUse | null> =>
  await ruleBudgets.findOne({ partnerId: of.partnerId, _id: budgetId(of, budget) });

/** The points that a purchase can still earn; undefined without a budget. */
export async function budgetLeft(
  models: Pick<Models, 'ruleBudgets'>,
  of: WalletRef,
  budget: CountedBudget | undefined,
): Promise<number | undefined> {
  if (budget === undefined) return undefined;
  return leftOfBudget(budget, (await findBudgetUse(models, of, budget)) ?? undefined);
}
