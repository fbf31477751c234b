import type { Reward } from '../../domain/reward.ts';
import { type BudgetUse, budgetId, type CountedBudget } from '../../domain/rule-budgets.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import { atOneMoment, type OneMoment } from '../at-one-moment.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { byBytes, pageSize, pagesOf } from '../pages.ts';

const name = 'budgets: each count is what its purchases earned and kept';

/** By budget and month. */
type Counted = Map<string, number>;

/** What counts against each budget is what the purchases under it earned, less what was refunded, as of one moment. */
export const budgetsCount: Check = {
  name,
  async run({ models, partners, pace }, report) {
    report.looked(name, 0);
    for await (const partnerId of partners()) {
      const has = await Promise.all([
        models.earningRules.findOne({ partnerId, budget: { $type: 'object' } }, { _id: 1 }),
        models.ruleBudgets.findOne({ partnerId }, { _id: 1 }),
      ]);
      if (has.every((one) => one === null)) continue;
      await atOneMoment(models, async (moment) => {
        const { counted, purchases } = await countedBy(models, partnerId, moment);
        const uses = await models.ruleBudgets.collection
          .find<BudgetUse>({ partnerId }, moment)
          .toArray();
        for (const problem of problemsOf(counted, uses)) {
          report.fault(name, `partner ${partnerId}, ${problem}`);
        }
        report.looked(name, purchases);
      });
      await pace();
    }
  },
};

/** What the purchases of a partner count against its budgets, by their events and rewards. */
async function countedBy(
  models: AuditDeps['models'],
  partnerId: string,
  moment: OneMoment,
): Promise<{ counted: Counted; purchases: number }> {
  const counted: Counted = new Map();
  let purchases = 0;
  const read = (last: OrderEventDoc | undefined) =>
    models.orderEvents.collection
      .find<OrderEventDoc>(
        {
          partnerId,
          type: 'PURCHASE',
          'purchase.budget': { $type: 'object' },
          ...(last && { _id: { $gt: last._id } }),
        },
        { ...moment, sort: { _id: 1 }, limit: pageSize },
      )
      .toArray();
  for await (const events of pagesOf(read)) {
    const ids = events.map(({ rewardId }) => rewardId);
    const rewards = await models.rewards.collection
      .find<Reward>({ partnerId, _id: { $in: ids } }, moment)
      .toArray();
    const byId = new Map(rewards.map((reward) => [reward._id, reward]));
    for (const event of events) {
      const budget = event.purchase?.budget;
      if (budget === undefined) continue;
      const reward = byId.get(event.rewardId);
      const points = reward ? pointsKept(reward) : (event.purchase?.arithmetic.points ?? 0);
      for (const key of keysOf(budgetId(event, budget), budget.month)) {
        counted.set(key, (counted.get(key) ?? 0) + points);
      }
    }
    purchases += events.length;
  }
  return { counted, purchases };
}

const keysOf = (_id: string, month: CountedBudget['month']): string[] => [
  `budget ${_id}`,
  `budget ${_id}, month ${month}`,
];

/** The points of a reward that count: all but those that a refund took back. What expired or was cancelled counts. */
function pointsKept({ state, moves, points }: Reward): number {
  if (state !== 'CANCELLED') return points;
  const open = moves.findLastIndex((made) => made.state !== 'CANCELLED');
  return moves[open + 1]?.move === 'CANCEL' ? points : 0;
}

function problemsOf(counted: Counted, uses: readonly BudgetUse[]): string[] {
  const said: Counted = new Map(
    uses.flatMap(({ _id, points, months }) => [
      [`budget ${_id}`, points] as const,
      ...Object.entries(months).map(
        ([month, ofMonth]) => [`budget ${_id}, month ${month}`, ofMonth] as const,
      ),
    ]),
  );
  return [...new Set([...counted.keys(), ...said.keys()])].toSorted(byBytes).flatMap((key) => {
    const [is, should] = [said.get(key) ?? 0, counted.get(key) ?? 0];
    return is === should ? [] : [`${key}: it says ${is} points, its purchases ${should}`];
  });
}
