import test from 'ava';
import fc from 'fast-check';
import { Draft, readOf } from '../../domain/draft.ts';
import { computePoints } from '../../domain/points.ts';
import {
  budgetId,
  type CountedBudget,
  countedIn,
  giveBackBudget,
  leftOfBudget,
  limitsOf,
  type RuleBudget,
  spendBudget,
} from '../../domain/rule-budgets.ts';
import { aReward } from '../helpers/a-reward.ts';
import { aRule, perAmount } from '../helpers/earning-rules.ts';
import { nothingStored } from '../helpers/read.ts';

const owner = { partnerId: 'prt_1', mode: 'LIVE' } as const;
const at = new Date('2026-03-31T22:30:00.000Z');
const spring: RuleBudget = { name: 'Spring', totalPoints: 1_000, monthPoints: 300 };
const inMarch = countedIn(spring, '2026-03-31');
const used = (points: number, march: number) => ({ points, months: { '2026-03': march } });
const newDraft = () => new Draft(readOf({ ...nothingStored(), partnerId: owner.partnerId }));

const rows: [
  what: string,
  budget: CountedBudget,
  used: ReturnType<typeof used> | undefined,
  left: number,
][] = [
  ['nothing is used', inMarch, undefined, 300],
  ['the month has less left', inMarch, used(500, 120), 180],
  ['the total has less left', inMarch, used(950, 120), 50],
  ['the month is used up', inMarch, used(300, 300), 0],
  ['another month is used up', countedIn(spring, '2026-04-01'), used(300, 300), 300],
  ['a lower limit is exceeded', { ...inMarch, totalPoints: 100 }, used(120, 120), 0],
  ['there is no limit in all', { ...inMarch, totalPoints: null }, used(9_000, 120), 180],
  ['there is no limit per month', { ...inMarch, monthPoints: null }, used(999, 999), 1],
];
for (const [what, budget, use, left] of rows) {
  test(`what is left of a budget when ${what}`, (t) => t.is(leftOfBudget(budget, use), left));
}

test('partners are told when a purchase takes a limit to 80 % and to 100 %, each once', (t) => {
  const draft = newDraft();
  const told = (points: number, id: string) => {
    const before = draft.webhooks.length;
    const reward = { ...aReward(owner, { id, points }), budget: inMarch };
    spendBudget(draft, reward, at);
    return draft.webhooks
      .slice(before)
      .map(({ type, data }) => [type, data.of, data.percent, data.usedPoints, data.limitPoints]);
  };
  t.deepEqual(told(239, 'r1'), []);
  t.deepEqual(told(1, 'r2'), [['budget.threshold', 'MONTH', 80, 240, 300]]);
  t.deepEqual(told(59, 'r3'), []);
  t.deepEqual(told(1, 'r4'), [['budget.threshold', 'MONTH', 100, 300, 300]]);
  t.deepEqual(told(0, 'r5'), []);
  t.like(draft.webhooks.at(-1), {
    mode: 'LIVE',
    cause: 'r4 MONTH 100',
    data: { budget: 'Spring', month: '2026-03', ruleId: 'rul_1' },
  });
  t.is(draft.budgets.values().length, 1);
});

test('one purchase can take both limits across both thresholds', (t) => {
  const draft = newDraft();
  const budget = { ...inMarch, totalPoints: 300 };
  spendBudget(draft, { ...aReward(owner, { id: 'r1', points: 300 }), budget }, at);
  t.deepEqual(
    draft.webhooks.map(({ data }) => [data.of, data.month, data.percent]),
    [
      ['TOTAL', null, 80],
      ['TOTAL', null, 100],
      ['MONTH', '2026-03', 80],
      ['MONTH', '2026-03', 100],
    ],
  );
  t.is(new Set(draft.webhooks.map(({ cause }) => cause)).size, 4);
});

test('a reward without a budget counts nowhere', (t) => {
  const draft = newDraft();
  spendBudget(draft, aReward(owner, { id: 'r1' }), at);
  t.deepEqual([draft.budgets.values(), draft.webhooks], [[], []]);
});

test('the modes of a partner, and budgets of other names, do not share a count', (t) => {
  const ids = [
    budgetId(owner, spring),
    budgetId({ ...owner, mode: 'TEST' }, spring),
    budgetId({ ...owner, partnerId: 'prt_2' }, spring),
    budgetId(owner, { name: 'Summer' }),
  ];
  t.is(new Set(ids).size, 4);
});

const step = fc.oneof(
  fc.record({
    do: fc.constant('buy' as const),
    day: fc.constantFrom('2026-03-30', '2026-03-31', '2026-04-01'),
    subtotalCents: fc.integer({ min: 0, max: 9_000 }),
  }),
  fc.record({ do: fc.constant('refund' as const), nth: fc.nat(), share: fc.nat({ max: 4 }) }),
);

test('purchases and refunds in any order never take more than the budget, and its count is what they keep', (t) => {
  const budgets = fc.record({
    totalPoints: fc.option(fc.integer({ min: 1, max: 900 })),
    monthPoints: fc.option(fc.integer({ min: 1, max: 600 })),
  });
  const property = fc.property(budgets, fc.array(step, { maxLength: 40 }), (limits, steps) => {
    if (limits.totalPoints === null && limits.monthPoints === null) return;
    const budget = { name: 'Any', ...limits };
    const rule = aRule({ budget }, perAmount(10));
    const _id = budgetId(owner, budget);
    const draft = newDraft();
    const kept: { reward: ReturnType<typeof aReward> & { budget: CountedBudget } }[] = [];
    for (const one of steps) {
      if (one.do === 'buy') {
        const counted = countedIn(budget, one.day);
        const left = leftOfBudget(counted, draft.budgets.get(_id));
        const arithmetic = computePoints(rule, one.subtotalCents, 0, null, left);
        const whole = computePoints(rule, one.subtotalCents, 0, null);
        if (arithmetic.points !== Math.min(whole.points, left)) throw new Error('cut wrongly');
        const { points } = arithmetic;
        const reward = { ...aReward(owner, { id: `r${kept.length}`, points }), budget: counted };
        spendBudget(draft, reward, at);
        kept.push({ reward });
      } else {
        const of = kept[one.nth % Math.max(1, kept.length)];
        if (of === undefined) continue;
        const points = Math.floor((of.reward.points * one.share) / 4);
        giveBackBudget(draft, of.reward, points);
        of.reward = { ...of.reward, points: of.reward.points - points };
      }
      const sum = (month?: string) =>
        kept
          .filter(({ reward }) => month === undefined || reward.budget.month === month)
          .reduce((total, { reward }) => total + reward.points, 0);
      const use = draft.budgets.get(_id) ?? { points: 0, months: {} };
      if (use.points !== sum()) throw new Error(`${use.points} in all`);
      for (const [month, points] of Object.entries(use.months)) {
        if (points !== sum(month)) throw new Error(`${points} in ${month}`);
        for (const { limitPoints, usedPoints } of limitsOf({ ...budget, month }, use)) {
          if (usedPoints > limitPoints) throw new Error(`${usedPoints} of ${limitPoints}`);
        }
      }
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 500 }));
});
