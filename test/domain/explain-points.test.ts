import test from 'ava';
import fc from 'fast-check';
import type { Earning, EarningRule, RuleTerms } from '../../domain/earning-rules.ts';
import { computePoints, explainPoints } from '../../domain/points.ts';
import { liabilityCentsOf } from '../../domain/postings.ts';
import {
  aRule,
  campaign,
  campaignStartsAtMs,
  dayLeftPoints,
  fixed,
  perAmount,
  purchase,
} from '../helpers/earning-rules.ts';

interface Case {
  terms?: Partial<RuleTerms>;
  earning?: Earning;
  subtotalCents: number;
  atMs?: number;
  dayLeftPoints?: number;
  sentence: string;
}

const cases: Case[] = [
  {
    subtotalCents: 4_999,
    sentence:
      '10 points for every $1.00 of $49.99: 49.99 × 10 / 1.00, rounded down, = 499 points; they cost 499 × $0.01 = $4.99, rounded up to the cent.',
  },
  {
    earning: fixed(1),
    terms: { pointValueMicros: 12_345 },
    subtotalCents: 0,
    sentence:
      '1 point for an order of any amount; they cost 1 × $0.012345 = $0.02, rounded up to the cent.',
  },
  {
    terms: { minimumOrderCents: 5_000, multiplier: 3 },
    subtotalCents: 4_999,
    sentence:
      '$49.99 is below the minimum order of $50.00: 0 points; they cost 0 × $0.01 = $0.00, rounded up to the cent.',
  },
  {
    earning: perAmount(1, 250),
    terms: { multiplier: 2, campaign, capPerOrderPoints: 30, capPerCustomerDayPoints: 100 },
    subtotalCents: 4_999,
    atMs: campaignStartsAtMs,
    dayLeftPoints: 20,
    sentence:
      '1 point for every $2.50 of $49.99: 49.99 × 1 / 2.50, rounded down, = 19 points; times 2 in the campaign: 19 × 2 = 38 points; an order earns at most 30 points: 30 points; the customer had 20 of 100 points left that day: 20 points; they cost 20 × $0.01 = $0.20, rounded up to the cent.',
  },
  {
    terms: { multiplier: 2, campaign, capPerOrderPoints: 900, capPerCustomerDayPoints: 900 },
    subtotalCents: 1_000,
    atMs: campaignStartsAtMs - 1,
    dayLeftPoints: 900,
    sentence:
      '10 points for every $1.00 of $10.00: 10.00 × 10 / 1.00, rounded down, = 100 points; the campaign was not running at the time of the purchase (× 2); they cost 100 × $0.01 = $1.00, rounded up to the cent.',
  },
  {
    terms: { multiplier: 2 },
    subtotalCents: 1_000,
    sentence:
      '10 points for every $1.00 of $10.00: 10.00 × 10 / 1.00, rounded down, = 100 points; times 2: 100 × 2 = 200 points; they cost 200 × $0.01 = $2.00, rounded up to the cent.',
  },
];

function explained(rule: EarningRule, cents: number, atMs: number, dayLeft: number | null) {
  const arithmetic = computePoints(rule, cents, atMs, dayLeft);
  const liabilityCents = liabilityCentsOf(arithmetic.points, rule.pointValueMicros);
  return { arithmetic, liabilityCents, ...explainPoints(arithmetic, rule, liabilityCents) };
}

for (const { terms, earning, subtotalCents, atMs = 0, dayLeftPoints: left, sentence } of cases) {
  test(sentence, (t) => {
    t.is(explained(aRule(terms, earning), subtotalCents, atMs, left ?? null).sentence, sentence);
  });
}

test('the table has a row for every limit, even one that changed nothing', (t) => {
  const rule = aRule({ multiplier: 2, capPerOrderPoints: 900, capPerCustomerDayPoints: 1_000 });
  const { steps, cost } = explained(rule, 4_999, 0, 950);
  t.deepEqual(steps, [
    {
      what: '10 points for every $1.00',
      calculation: '49.99 × 10 / 1.00, rounded down',
      points: 499,
    },
    { what: 'Multiplier', calculation: '499 × 2', points: 998 },
    {
      what: 'At most 900 points per order',
      calculation: 'the smaller of 998 and 900',
      points: 900,
    },
    {
      what: 'At most 1,000 points per customer per day',
      calculation: 'the smaller of 900 and the 950 left that day',
      points: 900,
    },
  ]);
  t.deepEqual(cost, { calculation: '900 × $0.01, rounded up to the cent', cents: 900 });
});

/** A decimal number as a fraction. */
function decimal(text: string): { digits: bigint; scale: bigint } {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
}

/** Recalculates the points and the cost from the sentence alone. */
function recalculated(sentence: string): { points: bigint; cents: bigint } {
  let points = 0n;
  const withoutSeparators = sentence.replaceAll(/(?<=\d),(?=\d{3})/g, '');
  for (const words of withoutSeparators.slice(0, -1).split('; ')) {
    const [, amount, per, unit] =
      /: ([\d.]+) × (\d+) \/ ([\d.]+), rounded down, = /.exec(words) ?? [];
    const [, same] = /^(\d+) points? for an order of any amount/.exec(words) ?? [];
    const [, times] = /^times (\d+)/.exec(words) ?? [];
    const [, most] = /^an order earns at most (\d+) /.exec(words) ?? [];
    const [, left] = /^the customer had (\d+) of /.exec(words) ?? [];
    const [, each] = /^they cost \d+ × \$([\d.]+) = /.exec(words) ?? [];
    const limit = most ?? left;
    if (amount && per && unit) {
      points = (decimal(amount).digits * BigInt(per)) / decimal(unit).digits;
    } else if (same) points = BigInt(same);
    else if (times) points *= BigInt(times);
    else if (limit && points > BigInt(limit)) points = BigInt(limit);
    else if (each) {
      const { digits, scale } = decimal(each);
      return { points, cents: (points * digits * 100n + scale - 1n) / scale };
    }
  }
  throw new Error(`no cost in ${sentence}`);
}

test('recalculating the sentence or the table gives the same points and cents', (t) => {
  const pointValueMicros = fc.integer({ min: 0, max: 5_000_000 });
  fc.assert(
    fc.property(purchase, pointValueMicros, (bought, micros) => {
      const rule = { ...bought.rule, pointValueMicros: micros };
      const left = dayLeftPoints(rule, bought.dayLeftShare);
      let explanation: ReturnType<typeof explained>;
      try {
        explanation = explained(rule, bought.subtotalCents, bought.atMs, left);
      } catch (error) {
        // Rules under which an order would overflow cannot be created.
        fc.pre(!(error instanceof RangeError));
        throw error;
      }
      const { arithmetic, liabilityCents, steps, cost, sentence } = explanation;
      const { points, cents } = recalculated(sentence);
      t.is(Number(points), arithmetic.points, sentence);
      t.is(Number(cents), liabilityCents, sentence);
      t.is(steps.at(-1)?.points, arithmetic.points);
      t.is(cost.cents, liabilityCents);
    }),
    { numRuns: 3_000 },
  );
});

test('a campaign’s multiplier is named as one', (t) => {
  const rule = aRule({ multiplier: 2, campaign });
  for (const atMs of [campaignStartsAtMs, campaignStartsAtMs - 1]) {
    t.is(explained(rule, 1_000, atMs, null).steps[1]?.what, 'Campaign');
  }
});
