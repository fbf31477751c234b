import test from 'ava';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { claimWindowFields, claimWindowOf } from '../../portal/forms/claim-window-fields.ts';
import { sentenceOfRule, wordsOfRule } from '../../portal/words/rule-words.ts';

const rule: EarningRule = {
  ruleId: 'rul_1',
  partnerId: 'prt_1',
  mode: 'TEST',
  integrationId: null,
  currency: 'USD',
  kind: 'PER_AMOUNT',
  points: 10,
  unitCents: 100,
  minimumOrderCents: 0,
  multiplier: 1,
  campaign: null,
  capPerOrderPoints: null,
  capPerCustomerDayPoints: null,
  claimWindow: 'P30D',
  pointValueMicros: 10_000,
};

const cases: [change: Partial<EarningRule>, sentence: string][] = [
  [{}, '10 points for every $1.00, to be claimed within 30 days.'],
  [{ points: 1 }, '1 point for every $1.00, to be claimed within 30 days.'],
  [{ multiplier: 3 }, '10 points for every $1.00, times 3, always, to be claimed within 30 days.'],
  [
    { minimumOrderCents: 2_500, capPerOrderPoints: 1_000, capPerCustomerDayPoints: 5_000 },
    '10 points for every $1.00, for orders of at least $25.00, at most 1,000 points per order, at most 5,000 points per customer per day, to be claimed within 30 days.',
  ],
  [
    {
      multiplier: 2,
      campaign: { startsAt: '2026-11-27T01:00:00+01:00', endsAt: '2026-12-01T00:00:00Z' },
      claimWindow: 'PT12H',
    },
    '10 points for every $1.00, times 2 from 27 Nov 2026, 00:00 until 1 Dec 2026, 00:00 UTC, to be claimed within 12 hours.',
  ],
];
for (const [change, sentence] of cases) {
  test(`a rule with ${JSON.stringify(change)} is described in one sentence`, (t) => {
    t.is(sentenceOfRule({ ...rule, ...change } as EarningRule), sentence);
  });
}

test('an unset part says so, and a point’s value is shown to the millionth', (t) => {
  t.deepEqual(wordsOfRule({ ...rule, pointValueMicros: 1_234 }), {
    earns: '10 points for every $1.00',
    minimumOrder: 'None',
    multiplier: 'None',
    capPerOrder: 'No limit',
    capPerCustomerDay: 'No limit',
    claimWindow: '30 days',
    pointValue: '$0.001234',
  });
});

test('a claim window is a number and a unit in forms; one with several parts has to be entered again', (t) => {
  for (const [iso, claimWindow, claimWindowUnit] of [
    ['P30D', '30', 'DAYS'],
    ['PT12H', '12', 'HOURS'],
    ['PT5M', '5', 'MINUTES'],
    ['P5M', '5', 'MONTHS'],
    ['P2W', '2', 'WEEKS'],
    ['PT5S', '5', 'SECONDS'],
    ['P1Y', '1', 'YEARS'],
  ] as const) {
    t.deepEqual(claimWindowFields(iso), { claimWindow, claimWindowUnit });
    t.is(claimWindowOf(Number(claimWindow), claimWindowUnit), iso);
  }
  t.is(claimWindowFields('P1DT12H').claimWindow, '');
});
