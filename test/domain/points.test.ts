import test from 'ava';
import fc from 'fast-check';
import { assertNever } from '../../domain/assert-never.ts';
import {
  type Earning,
  type EarningRule,
  type RuleTerms,
  ruleKinds,
  ruleLimits,
} from '../../domain/earning-rules.ts';
import { computePoints, largestReward, maxSubtotalCents } from '../../domain/points.ts';
import { earningExamples } from '../helpers/earning-examples.ts';
import {
  aRule,
  campaign,
  campaignEndsAtMs,
  campaignStartsAtMs,
  dayLeftPoints,
  fixed,
  perAmount,
  purchase,
  subtotalCents,
} from '../helpers/earning-rules.ts';

interface Case {
  title: string;
  rule?: Partial<RuleTerms>;
  earning?: Earning;
  subtotalCents: number;
  atMs?: number;
  customerDayLeftPoints?: number;
  points: number;
}

const cases: Case[] = [
  { title: 'a whole number of units earns its points', subtotalCents: 4_900, points: 490 },
  {
    title: 'a part of a unit is floored after the multiplication, not before',
    subtotalCents: 4_999,
    points: 499,
  },
  {
    title: 'what is short of one point by a cent earns none',
    earning: perAmount(1),
    subtotalCents: 99,
    points: 0,
  },
  { title: '0 points is a valid reward', subtotalCents: 0, points: 0 },
  {
    title: 'a rule of 0 points is valid',
    earning: perAmount(0),
    subtotalCents: 5_000,
    points: 0,
  },
  {
    title: 'the floor comes before the multiplier',
    earning: perAmount(1),
    rule: { multiplier: 3 },
    subtotalCents: 199,
    points: 3,
  },
  {
    title: 'a FIXED rule earns its points whatever the order costs',
    earning: fixed(250),
    subtotalCents: 1,
    points: 250,
  },
  {
    title: 'a FIXED rule earns its points on an order of nothing',
    earning: fixed(250),
    subtotalCents: 0,
    points: 250,
  },
  {
    title: 'a FIXED rule is multiplied too',
    earning: fixed(250),
    rule: { multiplier: 2 },
    subtotalCents: 1,
    points: 500,
  },
  {
    title: 'an order one cent under the minimum earns 0',
    rule: { minimumOrderCents: 5_000 },
    subtotalCents: 4_999,
    points: 0,
  },
  {
    title: 'an order of exactly the minimum earns',
    rule: { minimumOrderCents: 5_000 },
    subtotalCents: 5_000,
    points: 500,
  },
  {
    title: 'a FIXED rule has a minimum order too',
    earning: fixed(250),
    rule: { minimumOrderCents: 5_000 },
    subtotalCents: 4_999,
    points: 0,
  },
  {
    title: 'a multiplier without a campaign always holds',
    rule: { multiplier: 2 },
    subtotalCents: 1_000,
    points: 200,
  },
  {
    title: 'the multiplier does not hold a millisecond before the campaign starts',
    rule: { multiplier: 2, campaign },
    subtotalCents: 1_000,
    atMs: campaignStartsAtMs - 1,
    points: 100,
  },
  {
    title: 'the multiplier holds at the instant the campaign starts',
    rule: { multiplier: 2, campaign },
    subtotalCents: 1_000,
    atMs: campaignStartsAtMs,
    points: 200,
  },
  {
    title: 'the multiplier holds until the last millisecond of the campaign',
    rule: { multiplier: 2, campaign },
    subtotalCents: 1_000,
    atMs: campaignEndsAtMs - 1,
    points: 200,
  },
  {
    title: 'the multiplier no longer holds at the instant the campaign ends',
    rule: { multiplier: 2, campaign },
    subtotalCents: 1_000,
    atMs: campaignEndsAtMs,
    points: 100,
  },
  {
    title: "a campaign's times are read with their offset",
    rule: {
      multiplier: 2,
      campaign: { startsAt: '2026-03-01T02:00:00+02:00', endsAt: '2026-04-01T02:00:00+02:00' },
    },
    subtotalCents: 1_000,
    atMs: campaignStartsAtMs,
    points: 200,
  },
  {
    title: 'the cap per order truncates and does not refuse',
    rule: { capPerOrderPoints: 99 },
    subtotalCents: 1_000,
    points: 99,
  },
  {
    title: 'the cap per order is applied after the multiplier',
    rule: { multiplier: 2, capPerOrderPoints: 150 },
    subtotalCents: 1_000,
    points: 150,
  },
  {
    title: 'a cap that is just reached takes nothing away',
    rule: { capPerOrderPoints: 100 },
    subtotalCents: 1_000,
    points: 100,
  },
  {
    title: 'a cap per order of 0 is a cap',
    rule: { capPerOrderPoints: 0 },
    subtotalCents: 1_000,
    points: 0,
  },
  {
    title: 'the cap per customer and day truncates to what the day has left',
    rule: { capPerCustomerDayPoints: 500 },
    subtotalCents: 1_000,
    customerDayLeftPoints: 40,
    points: 40,
  },
  {
    title: 'a customer whose day has 0 left earns 0 and is not refused',
    rule: { capPerCustomerDayPoints: 500 },
    subtotalCents: 1_000,
    customerDayLeftPoints: 0,
    points: 0,
  },
  {
    title: 'of two caps the lower one counts, here that of the order',
    rule: { capPerOrderPoints: 30, capPerCustomerDayPoints: 500 },
    subtotalCents: 1_000,
    customerDayLeftPoints: 40,
    points: 30,
  },
  {
    title: 'of two caps the lower one counts, here that of the day',
    rule: { capPerOrderPoints: 50, capPerCustomerDayPoints: 500 },
    subtotalCents: 1_000,
    customerDayLeftPoints: 40,
    points: 40,
  },
  {
    title: 'the largest order under the most generous rule is counted exactly',
    earning: perAmount(ruleLimits.points, 1),
    rule: { multiplier: ruleLimits.multiplier },
    subtotalCents: maxSubtotalCents,
    points: 1_000_000_000_000_000,
  },
  {
    title: 'a product that floating point would round is counted exactly',
    earning: perAmount(99_999, 99_999_999),
    subtotalCents: 99_999_998,
    points: 99_998,
  },
];

for (const { title, subtotalCents, points, ...one } of cases) {
  test(title, (t) => {
    const result = computePoints(
      aRule(one.rule, one.earning),
      subtotalCents,
      one.atMs ?? campaignStartsAtMs,
      one.customerDayLeftPoints ?? null,
    );
    t.is(result.points, points);
  });
}

for (const kind of ruleKinds) {
  test(`a ${kind} rule earns the points computed by hand`, (t) => {
    const { earning, earns } = earningExamples[kind];
    const rule = aRule({}, earning);
    for (const [subtotalCents, points] of earns) {
      const arithmetic = computePoints(rule, subtotalCents, campaignStartsAtMs, null);
      t.like(arithmetic, { kind, points, basePoints: points }, `${subtotalCents} cents`);
    }
  });
}

test('an unknown kind of rule throws', (t) => {
  const unknown = { ...aRule(), kind: 'UNHEARD_OF' } as unknown as EarningRule;
  t.throws(() => computePoints(unknown, 100, campaignStartsAtMs, null), { message: /UNHEARD_OF/ });
});

test('the reward keeps the rule version and the arithmetic', (t) => {
  const rule = aRule({ multiplier: 2, capPerOrderPoints: 900, capPerCustomerDayPoints: 1_000 });
  t.deepEqual(computePoints(rule, 4_999, campaignStartsAtMs, 950), {
    ruleId: 'rul_1',
    kind: 'PER_AMOUNT',
    subtotalCents: 4_999,
    basePoints: 499,
    multiplier: 2,
    uncappedPoints: 998,
    capPerOrderPoints: 900,
    customerDayLeftPoints: 950,
    points: 900,
    explanation: 'floor(4999 × 10 / 100) = 499, × 2 = 998, capped at 900',
  });
});

test('the arithmetic says why an order below the minimum earns nothing', (t) => {
  const { explanation } = computePoints(aRule({ minimumOrderCents: 5_000 }), 1, 0, null);
  t.is(explanation, '1 is below the minimum order of 5000: 0');
});

test('the arithmetic of a FIXED rule contains no division', (t) => {
  const { explanation } = computePoints(aRule({}, fixed(250)), 1, 0, null);
  t.is(explanation, 'fixed 250');
});

for (const subtotalCents of [0.5, 49.9, -1, maxSubtotalCents + 1, Number.NaN, Infinity, 2 ** 53]) {
  test(`a subtotal of ${subtotalCents} cents is refused`, (t) => {
    t.throws(() => computePoints(aRule(), subtotalCents, 0, null), {
      instanceOf: RangeError,
      message: /subtotalCents/,
    });
  });
}

test('points beyond the safe integers throw instead of losing a digit', (t) => {
  const overflow = { instanceOf: RangeError, message: 'points beyond the safe integers' };
  const divided = aRule({}, perAmount(2 ** 40, 1));
  t.throws(() => computePoints(divided, maxSubtotalCents, 0, null), overflow);
  const multiplied = aRule({ multiplier: 2 }, fixed(Number.MAX_SAFE_INTEGER));
  t.throws(() => computePoints(multiplied, 1, 0, null), overflow);
});

test('a cap does not hide an overflow', (t) => {
  const rule = aRule({ capPerOrderPoints: 1 }, perAmount(2 ** 40, 1));
  t.throws(() => computePoints(rule, maxSubtotalCents, 0, null), { instanceOf: RangeError });
});

test('a rule with a fraction of a point is refused', (t) => {
  t.throws(() => computePoints(aRule({}, perAmount(1.5)), 100, 0, null), {
    instanceOf: RangeError,
  });
});

function oracleBase(earning: Earning, cents: bigint): bigint {
  switch (earning.kind) {
    case 'PER_AMOUNT': {
      const [product, unit] = [BigInt(earning.points) * cents, BigInt(earning.unitCents)];
      return (product - (product % unit)) / unit;
    }
    case 'FIXED':
      return BigInt(earning.points);
    default:
      return assertNever(earning, 'kind');
  }
}

/** An independent implementation of the formula, in integers of any size. */
function oracle(rule: EarningRule, cents: number, time: number, dayLeft: number | null): bigint {
  let points = oracleBase(rule, BigInt(cents));
  if (cents < rule.minimumOrderCents) points = 0n;
  if (rule.campaign === null || (time >= campaignStartsAtMs && time < campaignEndsAtMs)) {
    points *= BigInt(rule.multiplier);
  }
  for (const limit of [rule.capPerOrderPoints, dayLeft]) {
    if (limit !== null && points > BigInt(limit)) points = BigInt(limit);
  }
  return points;
}

test('for every storable rule and order, the points match the formula and nothing throws', (t) => {
  fc.assert(
    fc.property(purchase, ({ rule, subtotalCents, atMs, dayLeftShare }) => {
      const dayLeft = dayLeftPoints(rule, dayLeftShare);
      const { points } = computePoints(rule, subtotalCents, atMs, dayLeft);
      return BigInt(points) === oracle(rule, subtotalCents, atMs, dayLeft);
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});

test('points are an integer from 0 to the lowest cap', (t) => {
  fc.assert(
    fc.property(purchase, ({ rule, subtotalCents, atMs, dayLeftShare }) => {
      const dayLeft = dayLeftPoints(rule, dayLeftShare);
      const { points, uncappedPoints } = computePoints(rule, subtotalCents, atMs, dayLeft);
      return (
        Number.isSafeInteger(points) &&
        points >= 0 &&
        points <= uncappedPoints &&
        points <= (rule.capPerOrderPoints ?? points) &&
        points <= (dayLeft ?? points)
      );
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('a larger order never earns fewer points', (t) => {
  fc.assert(
    fc.property(purchase, subtotalCents, ({ rule, subtotalCents, atMs, dayLeftShare }, other) => {
      const dayLeft = dayLeftPoints(rule, dayLeftShare);
      const earned = (cents: number) => computePoints(rule, cents, atMs, dayLeft).points;
      return (
        earned(Math.min(subtotalCents, other)) <= earned(Math.max(subtotalCents, other)) &&
        earned(Math.max(subtotalCents - 1, 0)) <= earned(subtotalCents)
      );
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('a rule’s largest reward is that of the largest order, during its campaign, with the daily cap unused', (t) => {
  const rule = aRule({ multiplier: 2, campaign, pointValueMicros: 20_000 });
  const points = (maxSubtotalCents / 100) * 10 * 2;
  t.deepEqual(largestReward(rule), { points, liabilityCents: points * 2 });
  t.is(largestReward({ ...rule, capPerCustomerDayPoints: 70 }).points, 70);
});
