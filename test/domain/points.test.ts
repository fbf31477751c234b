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
import {
  computePoints,
  computeRemaining,
  explainPoints,
  largestReward,
  maxSubtotalCents,
} from '../../domain/points.ts';
import {
  accounts,
  claimPostings,
  liabilityCentsOf,
  mustNotGoNegative,
  type Obligation,
  type Posting,
  reservationPostings,
  topUpPostings,
  uphold,
} from '../../domain/postings.ts';
import { lossOf } from '../../domain/refunds.ts';
import { redeemPostings as redeem } from '../helpers/a-redemption.ts';
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
  budgetLeftPoints?: number;
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
    title: 'a multiplier of two decimals is exact, and its points are rounded down',
    earning: perAmount(1),
    rule: { multiplier: 1.15 },
    subtotalCents: 10_100,
    points: 116,
  },
  {
    title: 'a multiplier of half as much again',
    earning: perAmount(1),
    rule: { multiplier: 1.5 },
    subtotalCents: 300,
    points: 4,
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
    title: 'a budget truncates to what it has left',
    rule: { budget: { name: 'Spring', totalPoints: 500, monthPoints: null } },
    subtotalCents: 1_000,
    budgetLeftPoints: 60,
    points: 60,
  },
  {
    title: 'a purchase under a budget that is used up earns 0 and is not refused',
    subtotalCents: 1_000,
    budgetLeftPoints: 0,
    points: 0,
  },
  {
    title: 'of a cap and a budget the lower one counts',
    rule: { capPerOrderPoints: 50, capPerCustomerDayPoints: 500 },
    subtotalCents: 1_000,
    customerDayLeftPoints: 40,
    budgetLeftPoints: 45,
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
      one.budgetLeftPoints,
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
    refundedCents: 0,
    basePoints: 499,
    multiplier: 2,
    uncappedPoints: 998,
    capPerOrderPoints: 900,
    customerDayLeftPoints: 950,
    points: 900,
    explanation: 'floor(4999 × 10 / 100) = 499, × 2 = 998, capped at 900',
  });
});

const remainders: [title: string, rule: EarningRule, refundedCents: number, points: number][] = [
  [
    'the rule counts what remains, and not a share of the points',
    aRule({}, perAmount(7, 1_000)),
    1,
    34,
  ],
  ['the minimum is asked of what remains', aRule({ minimumOrderCents: 4_000 }), 1_000, 0],
  ['what is at the minimum still earns', aRule({ minimumOrderCents: 4_000 }), 999, 400],
  ['the multiplier stays what it was', aRule({ multiplier: 2, campaign }), 1_000, 798],
  [
    'a cap per order that still binds leaves the points',
    aRule({ capPerOrderPoints: 300 }),
    1_000,
    300,
  ],
  ['what the day had left stays what it was', aRule({ capPerCustomerDayPoints: 700 }), 1_000, 399],
  ['a fixed rule gives its points for any part', aRule({}, fixed(50)), 4_998, 50],
];

for (const [title, rule, refundedCents, points] of remainders) {
  test(`after a refund of a part, ${title}`, (t) => {
    const before = computePoints(rule, 4_999, campaignStartsAtMs, 400);
    t.like(computeRemaining(rule, before, refundedCents), {
      subtotalCents: 4_999,
      refundedCents,
      points: Math.min(points, 400),
    });
  });
}

test('what remains never earns more, and all of it earns what the order did', (t) => {
  const property = fc.property(
    purchase,
    fc.double({ min: 0, max: 1, noNaN: true }),
    (one, share) => {
      const { rule, subtotalCents: cents, atMs, dayLeftShare } = one;
      const whole = computePoints(rule, cents, atMs, dayLeftPoints(rule, dayLeftShare));
      const part = computeRemaining(rule, whole, Math.floor(cents * share));
      if (part.points > whole.points) throw new Error(`${part.points} of ${whole.points}`);
      t.deepEqual(computeRemaining(rule, part, 0), whole);
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('the arithmetic says what came back', (t) => {
  const arithmetic = computePoints(aRule(), 4_990, 0, null);
  const { explanation } = computeRemaining(aRule(), arithmetic, 1_200);
  t.is(explanation, 'of 4990, 1200 came back: floor(3790 × 10 / 100) = 379');
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
    points = (points * BigInt(rule.multiplier.toFixed(2).replace('.', ''))) / 100n;
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

interface CaseOfExplainPoints {
  terms?: Partial<RuleTerms>;
  earning?: Earning;
  subtotalCents: number;
  atMs?: number;
  dayLeftPoints?: number;
  refundedCents?: number;
  sentence: string;
}

const casesOfExplainPoints: CaseOfExplainPoints[] = [
  {
    subtotalCents: 4_990,
    refundedCents: 1_200,
    sentence:
      'of $49.90, $12.00 came back: 10 points for every $1.00 of $37.90: 37.90 × 10 / 1.00, rounded down, = 379 points; they cost 379 × $0.01 = $3.79, rounded up to the cent.',
  },
  {
    terms: { minimumOrderCents: 4_000 },
    subtotalCents: 4_990,
    refundedCents: 1_200,
    sentence:
      'of $49.90, $12.00 came back: $37.90 is below the minimum order of $40.00: 0 points; they cost 0 × $0.01 = $0.00, rounded up to the cent.',
  },
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

function explained(
  rule: EarningRule,
  cents: number,
  atMs: number,
  dayLeft: number | null,
  refundedCents = 0,
) {
  const whole = computePoints(rule, cents, atMs, dayLeft);
  const arithmetic = computeRemaining(rule, whole, refundedCents);
  const liabilityCents = liabilityCentsOf(arithmetic.points, rule);
  return { arithmetic, liabilityCents, ...explainPoints(arithmetic, rule, liabilityCents) };
}

for (const {
  terms,
  earning,
  subtotalCents,
  atMs = 0,
  dayLeftPoints: left,
  refundedCents,
  sentence,
} of casesOfExplainPoints) {
  test(sentence, (t) => {
    const rule = aRule(terms, earning);
    const { sentence: said } = explained(rule, subtotalCents, atMs, left ?? null, refundedCents);
    t.is(said, sentence);
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
    const [, times] = /^times ([\d.]+)/.exec(words) ?? [];
    const [, most] = /^an order earns at most (\d+) /.exec(words) ?? [];
    const [, left] = /^the customer had (\d+) of /.exec(words) ?? [];
    const [, each] = /^they cost \d+ × \$([\d.]+) = /.exec(words) ?? [];
    const limit = most ?? left;
    if (amount && per && unit) {
      points = (decimal(amount).digits * BigInt(per)) / decimal(unit).digits;
    } else if (same) points = BigInt(same);
    else if (times) points = (points * decimal(times).digits) / decimal(times).scale;
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

test('points that a multiplier leaves a fraction of are said to be rounded down', (t) => {
  const ofThree = (multiplier: number) =>
    explained(aRule({ multiplier }, fixed(3)), 1_000, 0, null).steps[1]?.calculation;
  t.is(ofThree(1.5), '3 × 1.5, rounded down');
  t.is(ofThree(2), '3 × 2');
});

test('a campaign’s multiplier is named as one', (t) => {
  const rule = aRule({ multiplier: 2, campaign });
  for (const atMs of [campaignStartsAtMs, campaignStartsAtMs - 1]) {
    t.is(explained(rule, 1_000, atMs, null).steps[1]?.what, 'Campaign');
  }
});

const customerId = 'cus_ann';
const owed = accounts.payable(customerId);
const held = accounts.points.customer(customerId);
const lost = accounts.writeOff(customerId);

/** The accounts of a partner with one customer. */
type Claimed = Obligation & { pointValueMicros: number; currency: string };

function openAccounts() {
  const balances = new Map<string, number>();
  const balanceOf = (account: string) => balances.get(account) ?? 0;
  const claimed: Claimed[] = [];
  const write = (postings: Posting[]) => {
    for (const { account, amount } of postings) {
      balances.set(account, balanceOf(account) + amount);
      if (mustNotGoNegative(account) && balanceOf(account) < 0) {
        throw new Error(`${account} is at ${balanceOf(account)}`);
      }
    }
  };
  return {
    balanceOf,
    claimed,
    sumOf: (isOf: (account: string) => boolean) =>
      [...balances].reduce((sum, [account, amount]) => (isOf(account) ? sum + amount : sum), 0),
    claim(points: number, pointValueMicros: number) {
      const liabilityCents = liabilityCentsOf(points, { pointValueMicros, currency: 'USD' });
      const reward = { points, liabilityCents, customerId, pointValueMicros, currency: 'USD' };
      write(topUpPostings(liabilityCents));
      write(reservationPostings('funding', reward));
      write(claimPostings(reward));
      claimed.push(reward);
    },
    redeem: (points: number) => write(redeem(customerId, points, balanceOf)),
    uphold(reward: Claimed) {
      claimed.splice(claimed.indexOf(reward), 1);
      write(uphold('funding', reward, balanceOf).postings);
    },
    /** Upholds the refund of a part: some points remain. */
    reduce(reward: Claimed, share: number) {
      const points = Math.ceil(reward.points * share);
      const liabilityCents = liabilityCentsOf(points, reward);
      const remaining = { ...reward, points, liabilityCents };
      const lost = lossOf(reward, remaining);
      claimed[claimed.indexOf(reward)] = remaining;
      write(uphold('funding', { ...reward, ...lost }, balanceOf).postings);
    },
  };
}

type Accounts = ReturnType<typeof openAccounts>;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CLAIM' as const),
      points: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 1_000 }), fc.nat({ max: 1_000_000_000 })),
      pointValueMicros: fc.constantFrom(0, 1, 3_333, 10_000, 15_000, 1_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('REDEEM' as const),
      share: fc.constantFrom(0.001, 0.3, 0.5, 0.999, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('UPHOLD' as const), nth: fc.nat({ max: 99 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('REDUCE' as const),
      nth: fc.nat({ max: 99 }),
      share: fc.constantFrom(0.001, 0.3, 0.999),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function happen(accounts: Accounts, one: Step): void {
  if (one.do === 'CLAIM') {
    accounts.claim(one.points, one.pointValueMicros);
  } else if (one.do === 'REDEEM') {
    const points = Math.ceil(accounts.balanceOf(held) * one.share);
    if (points > 0) accounts.redeem(points);
  } else {
    const reward = accounts.claimed[one.nth % accounts.claimed.length];
    if (reward && one.do === 'UPHOLD') accounts.uphold(reward);
    else if (reward && one.do === 'REDUCE') accounts.reduce(reward, one.share);
  }
}

const steps = fc.array(step, { minLength: 1, maxLength: 40 });

test('after any claims, redemptions and refunds: no money without points, no points without money', (t) => {
  const property = fc.property(steps, (played) => {
    const accounts = openAccounts();
    // A customer with only worthless points is owed no money, until a claim adds valuable ones.
    let isWorthSomething = false;
    for (const one of played) {
      happen(accounts, one);
      const [cents, points] = [accounts.balanceOf(owed), accounts.balanceOf(held)];
      isWorthSomething = points > 0 && (isWorthSomething || cents > 0);
      if (cents > 0 !== isWorthSomething) {
        throw new Error(`${JSON.stringify(one)} leaves ${points} points and ${cents} cents`);
      }
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 3_000 }));
});

test('after any claims, redemptions and refunds: every cent and every point is accounted for', (t) => {
  const property = fc.property(steps, (played) => {
    const accounts = openAccounts();
    for (const one of played) {
      happen(accounts, one);
      const { balanceOf, claimed, sumOf } = accounts;
      const isPoints = (account: string) => account.startsWith('points');
      const [worthCents, worthPoints] = [
        claimed.reduce((sum, { liabilityCents }) => sum + liabilityCents, 0),
        claimed.reduce((sum, { points }) => sum + points, 0),
      ];
      if (
        sumOf(isPoints) !== 0 ||
        sumOf((account) => !isPoints(account)) !== 0 ||
        balanceOf(owed) + balanceOf('redeemed') !== worthCents ||
        balanceOf(held) + balanceOf('pointsRedeemed') !== worthPoints
      ) {
        throw new Error(`after ${JSON.stringify(one)}`);
      }
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 1_000 }));
});

test('an upheld refund takes the reward’s own money, as long as money and points stay together', (t) => {
  const property = fc.property(steps, fc.nat({ max: 99 }), (played, nth) => {
    const accounts = openAccounts();
    for (const one of played) happen(accounts, one);
    const reward = accounts.claimed[nth % accounts.claimed.length];
    if (!reward) return true;
    const before = accounts.balanceOf(owed);
    accounts.uphold(reward);
    const tookCents = before - accounts.balanceOf(owed);
    const own = Math.min(reward.liabilityCents, before);
    return tookCents === own || (tookCents === own - 1 && accounts.balanceOf(owed) === 1);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 3_000 }));
});

test('100 points worth 1.00 and 100 worth 10.00, 100 spent, the first refund upheld: no money is left without points', (t) => {
  const accounts = openAccounts();
  accounts.claim(100, 10_000);
  accounts.claim(100, 100_000);
  accounts.redeem(100);
  t.is(accounts.balanceOf('redeemed'), 550);
  const [first] = accounts.claimed;
  if (first) accounts.uphold(first);
  // 5.50 was paid; the rest of the 10.00 is still owed, with one point to spend it.
  t.deepEqual([accounts.balanceOf(owed), accounts.balanceOf(held)], [450, 1]);
  t.is(accounts.balanceOf('funding'), 100);
  t.is(accounts.balanceOf('redeemed') + accounts.balanceOf(lost), 550);
  accounts.redeem(1);
  t.deepEqual([accounts.balanceOf(owed), accounts.balanceOf(held)], [0, 0]);
});

test('a refund of worthless points takes no money owed for others', (t) => {
  const accounts = openAccounts();
  accounts.claim(1_000_000, 0);
  accounts.claim(100, 1_000_000);
  accounts.redeem(500_050);
  const [worthless] = accounts.claimed;
  const before = accounts.balanceOf(owed);
  if (worthless) accounts.uphold(worthless);
  t.is(before, 5_000);
  t.deepEqual([accounts.balanceOf(owed), accounts.balanceOf(held)], [before, 1]);
  t.is(accounts.balanceOf('funding'), 0);
});
