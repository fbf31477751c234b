import test from 'ava';
import fc from 'fast-check';
import { Settings } from 'luxon';
import { createBackTest, type PastPurchase } from '../../domain/back-test.ts';
import {
  activeCurrencies,
  claimExpiry,
  claimTimes,
  type EarningRule,
  parseClaimWindow,
  parseHold,
  type RuleTerms,
  selectRule,
} from '../../domain/earning-rules.ts';
import { aRule, campaign, fixed, perAmount, subtotalCents } from '../helpers/earning-rules.ts';

function aRuleOfEarningRules(
  ruleId: string,
  integrationId: string | null,
  currency: string,
): EarningRule {
  return {
    ruleId,
    partnerId: 'prt_1',
    mode: 'LIVE',
    integrationId,
    currency,
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
}

const partnerUsd = aRuleOfEarningRules('partner USD', null, 'USD');
const partnerEur = aRuleOfEarningRules('partner EUR', null, 'EUR');
const shopUsd = aRuleOfEarningRules('shop USD', 'int_shop', 'USD');
const tillUsd = aRuleOfEarningRules('till USD', 'int_till', 'USD');
const shopEur = aRuleOfEarningRules('shop EUR', 'int_shop', 'EUR');

test('the active rule of the currency applies', (t) => {
  t.is(selectRule([partnerUsd], 'int_shop', 'USD'), partnerUsd);
  t.is(selectRule([partnerUsd, partnerEur], 'int_shop', 'EUR'), partnerEur);
});

test("an integration's own rule overrides the partner's, in any order", (t) => {
  t.is(selectRule([partnerUsd, shopUsd], 'int_shop', 'USD'), shopUsd);
  t.is(selectRule([shopUsd, partnerUsd], 'int_shop', 'USD'), shopUsd);
});

test("another integration's rule does not apply", (t) => {
  t.is(selectRule([partnerUsd, tillUsd], 'int_shop', 'USD'), partnerUsd);
  t.is(selectRule([tillUsd, shopUsd, partnerUsd], 'int_shop', 'USD'), shopUsd);
});

test('an override in another currency does not replace the partner rule of this one', (t) => {
  t.is(selectRule([shopEur, partnerUsd], 'int_shop', 'USD'), partnerUsd);
});

test('without an active rule the refusal is NO_ACTIVE_EARNING_RULE', (t) => {
  t.is(selectRule([], 'int_shop', 'USD'), 'NO_ACTIVE_EARNING_RULE');
});

test("an integration that could only use another's rule has no rule", (t) => {
  t.is(selectRule([tillUsd], 'int_shop', 'USD'), 'NO_ACTIVE_EARNING_RULE');
});

test('an integration’s currencies are those of its own and its partner’s rules, without duplicates and sorted', (t) => {
  t.deepEqual(activeCurrencies([partnerUsd, shopEur, partnerEur, tillUsd], 'int_shop'), [
    'EUR',
    'USD',
  ]);
});

test('active rules only in other currencies are a CURRENCY_MISMATCH', (t) => {
  t.is(selectRule([partnerEur], 'int_shop', 'USD'), 'CURRENCY_MISMATCH');
  t.is(selectRule([shopEur, tillUsd], 'int_shop', 'USD'), 'CURRENCY_MISMATCH');
});

// A zone with daylight saving time, because claim windows must follow UTC wherever the service runs.
Settings.defaultZone = 'America/New_York';

const expiries: [startsAt: string, claimWindow: string, expiresAt: string][] = [
  ['2026-01-15T10:00:00.000Z', 'PT5S', '2026-01-15T10:00:05.000Z'],
  ['2026-12-31T23:59:59.999Z', 'PT5S', '2027-01-01T00:00:04.999Z'],
  ['2026-01-15T10:00:00.000Z', 'PT0.001S', '2026-01-15T10:00:00.001Z'],
  ['2026-01-15T10:00:00.000Z', 'PT36H', '2026-01-16T22:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P1W', '2026-01-22T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P30D', '2026-02-14T10:00:00.000Z'],
  ['2026-02-15T10:00:00.000Z', 'P30D', '2026-03-17T10:00:00.000Z'],
  ['2024-02-15T10:00:00.000Z', 'P30D', '2024-03-16T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P1M', '2026-02-15T10:00:00.000Z'],
  ['2026-01-31T10:00:00.000Z', 'P1M', '2026-02-28T10:00:00.000Z'],
  ['2024-01-31T10:00:00.000Z', 'P1M', '2024-02-29T10:00:00.000Z'],
  ['2026-03-31T10:00:00.000Z', 'P1M', '2026-04-30T10:00:00.000Z'],
  ['2026-02-28T10:00:00.000Z', 'P1M', '2026-03-28T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 'P1Y', '2025-02-28T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 'P4Y', '2028-02-29T10:00:00.000Z'],
  ['2024-02-28T10:00:00.000Z', 'P1D', '2024-02-29T10:00:00.000Z'],
  ['2026-02-28T10:00:00.000Z', 'P1D', '2026-03-01T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P10Y', '2036-01-15T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'PT87840H', '2036-01-23T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 'P10Y', '2034-02-28T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', 'P1Y2M3W4DT5H6M7.5S', '2027-04-09T15:06:07.500Z'],
  ['2026-03-07T22:00:00-05:00', 'P1D', '2026-03-09T03:00:00.000Z'],
];

for (const [startsAt, claimWindow, expiresAt] of expiries) {
  test(`a window of ${claimWindow} from ${startsAt} ends at ${expiresAt}`, (t) => {
    t.is(claimExpiry(startsAt, claimWindow), expiresAt);
  });
}

const outOfRange: [claimWindow: string, why: string][] = [
  ['PT0S', 'is zero'],
  ['P0D', 'is zero'],
  ['P', 'names no time'],
  ['PT', 'names no time'],
  ['PT0.0001S', 'is less than a millisecond'],
  ['P0.000000001D', 'is less than a millisecond'],
  ['-P1D', 'is negative'],
  ['P-1D', 'is negative'],
  ['PT-5S', 'is negative'],
  ['P1M-29D', 'could end before it starts'],
  ['P1Y-13M', 'could end before it starts'],
  ['P11Y', 'is longer than ten years'],
  ['P10Y1M', 'is longer than ten years'],
  ['P3661D', 'is longer than ten years'],
  ['PT87841H', 'is longer than ten years'],
  ['P99999999999999999999D', 'is longer than ten years'],
];

for (const [claimWindow, why] of outOfRange) {
  test(`a window of ${claimWindow} is refused: it ${why}`, (t) => {
    t.throws(() => parseClaimWindow(claimWindow), {
      instanceOf: RangeError,
      message: 'a claim window must be longer than zero and at most ten years',
    });
    t.throws(() => claimExpiry('2026-01-15T10:00:00.000Z', claimWindow), {
      instanceOf: RangeError,
    });
  });
}

const garbage = [
  '',
  ' ',
  '30',
  '30D',
  'P30',
  'P1H',
  'p30d',
  '+P1D',
  'PT5S ',
  'P1D P1D',
  'NaN',
  '∞',
];

for (const text of garbage) {
  test(`${JSON.stringify(text)} is refused: it is not an ISO 8601 duration`, (t) => {
    t.throws(() => parseClaimWindow(text), {
      instanceOf: RangeError,
      message: `"${text}" is not an ISO 8601 duration`,
    });
  });
}

test('an invalid start is refused', (t) => {
  t.throws(() => claimExpiry('yesterday', 'P1D'), { instanceOf: RangeError });
});

test('a window always ends after it starts, exactly its days and seconds later', (t) => {
  const instant = fc.date({
    min: new Date('2020-01-01T00:00:00.000Z'),
    max: new Date('2100-01-01T00:00:00.000Z'),
    noInvalidDate: true,
  });
  const days = fc.integer({ min: 0, max: 3_600 });
  const seconds = fc.integer({ min: 1, max: 86_400 });
  fc.assert(
    fc.property(instant, days, seconds, (start, d, s) => {
      const expiresAt = claimExpiry(start.toISOString(), `P${d}DT${s}S`);
      return Date.parse(expiresAt) === start.getTime() + (d * 86_400 + s) * 1_000;
    }),
  );
  t.pass();
});

test('a window of months ends in the right month, on its last day at the latest', (t) => {
  const instant = fc.date({
    min: new Date('2020-01-01T00:00:00.000Z'),
    max: new Date('2100-01-01T00:00:00.000Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 120 }), (start, months) => {
      const end = new Date(claimExpiry(start.toISOString(), `P${months}M`));
      const elapsedMonths =
        (end.getUTCFullYear() - start.getUTCFullYear()) * 12 +
        (end.getUTCMonth() - start.getUTCMonth());
      return elapsedMonths === months && end.getUTCDate() <= start.getUTCDate();
    }),
  );
  t.pass();
});

test('any text is parsed or refused with a RangeError', (t) => {
  const part = fc.constantFrom('P', 'T', '-', '.', '1', '0', '9', 'Y', 'M', 'W', 'D', 'H', 'S');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const start = '2026-01-31T10:00:00.000Z';
      try {
        return Date.parse(claimExpiry(start, parts.join(''))) > Date.parse(start);
      } catch (error) {
        return error instanceof RangeError;
      }
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});

const receivedAt = '2026-01-15T10:00:00.000Z';
const holds: [
  what: string,
  holdFor: string | undefined,
  occurredAt: string | null,
  from: string | null,
  until: string,
][] = [
  ['without a hold', undefined, null, null, '2026-02-14T10:00:00.000Z'],
  ['with a hold', 'P14D', null, '2026-01-29T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
  [
    'with a hold, reported days later',
    'P14D',
    '2026-01-10T10:00:00.000Z',
    '2026-01-24T10:00:00.000Z',
    '2026-02-23T10:00:00.000Z',
  ],
  [
    'with a hold that is over when it is reported',
    'P14D',
    '2026-01-01T10:00:00.000Z',
    null,
    '2026-02-14T10:00:00.000Z',
  ],
  [
    'with a hold that ends as it is reported',
    'P14D',
    '2026-01-01T10:00:00+00:00',
    null,
    '2026-02-14T10:00:00.000Z',
  ],
  [
    'with a hold, in another zone',
    'P14D',
    '2026-01-15T12:00:00+02:00',
    '2026-01-29T10:00:00.000Z',
    '2026-02-28T10:00:00.000Z',
  ],
];

for (const [what, holdFor, occurredAt, claimableFrom, claimExpiresAt] of holds) {
  test(`a purchase ${what} can be claimed from ${claimableFrom ?? 'at once'} to ${claimExpiresAt}`, (t) => {
    const rule = { claimWindow: 'P30D', ...(holdFor !== undefined && { holdFor }) };
    t.deepEqual(claimTimes(rule, { receivedAt, occurredAt }), { claimableFrom, claimExpiresAt });
  });
}

test('the claim window is never shorter for a hold, and begins with its end', (t) => {
  const property = fc.property(
    fc.integer({ min: 1, max: 366 }),
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: -400, max: 1 }),
    (holdDays, windowDays, occurredDay) => {
      const occurredAt = new Date(Date.parse(receivedAt) + occurredDay * 86_400_000).toISOString();
      const rule = { claimWindow: `P${windowDays}D`, holdFor: `P${holdDays}D` };
      const times = claimTimes(rule, { receivedAt, occurredAt });
      const from = Date.parse(times.claimableFrom ?? receivedAt);
      const isAhead = times.claimableFrom === null || from > Date.parse(receivedAt);
      return isAhead && Date.parse(times.claimExpiresAt) - from === windowDays * 86_400_000;
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('a hold is longer than zero, and at most a year', (t) => {
  for (const holdFor of ['P14D', 'PT1S', 'P366D']) t.notThrows(() => parseHold(holdFor), holdFor);
  for (const holdFor of ['P0D', 'P367D', '-P1D', 'P1M-29D']) {
    t.throws(() => parseHold(holdFor), {
      instanceOf: RangeError,
      message: 'a hold must be longer than zero and at most a year',
    });
  }
  t.throws(() => parseHold('14 days'), { instanceOf: RangeError, message: /not an ISO 8601/ });
});

const named = (ruleId: string, terms: Partial<RuleTerms> = {}, earning = perAmount(1)) => ({
  ...aRule(terms, earning),
  ruleId,
});

let number = 0;
function bought(changes: Partial<PastPurchase> = {}): PastPurchase {
  number += 1;
  return {
    eventId: `evt_${number}`,
    externalOrderId: `order-${number}`,
    integrationId: 'int_1',
    currency: 'USD',
    customerId: 'cus_anna',
    subtotalCents: 5_000,
    refundedCents: 0,
    reviewedAt: null,
    receivedAt: '2026-02-10T10:00:00.000Z',
    occurredAt: null,
    ...changes,
  };
}

function replayed(active: EarningRule[], draft: EarningRule, purchases: PastPurchase[]) {
  const backTest = createBackTest(active, draft);
  for (const purchase of purchases) backTest.take(purchase);
  return backTest.result();
}

/**
 * Calculated by hand. Active: 1 point for every 1.00, each worth 0.01, at most 80 per customer and day.
 * Draft: 2 points for every 1.00, each worth 0.015, at most 150 per order, doubled in March.
 *
 * | received         | customer | subtotal | active            | points | cents | draft             | points | cents |
 * | 10 Feb 10:00     | anna     |    50.00 | 50                |     50 |    50 | 100               |    100 |   150 |
 * | 10 Feb 11:00     | anna     |    50.00 | 50, day has 30 left |    30 |    30 | 100               |    100 |   150 |
 * | 10 Feb 12:00     | ben      |    99.99 | 99, day has 80 left |    80 |    80 | 199, at most 150  |    150 |   225 |
 * | 11 Feb 00:00     | anna     |     0.99 | 0                 |      0 |     0 | 1                 |      1 |     2 |
 * | 1 Mar, occurred 28 Feb | anna | 10.00  | 10                |     10 |    10 | 20                |     20 |    30 |
 * | 1 Mar            | ben      |    10.00 | 10                |     10 |    10 | 20 × 2            |     40 |    60 |
 * | sum              |          |          |                   |    180 |   180 |                   |    411 |   617 |
 */
test('a back-test matches results computed by hand', (t) => {
  const active = named('rul_active', { capPerCustomerDayPoints: 80 });
  const draft = named(
    'rul_draft',
    { pointValueMicros: 15_000, capPerOrderPoints: 150, multiplier: 2, campaign },
    perAmount(2),
  );
  const purchases = [
    bought(),
    bought({ receivedAt: '2026-02-10T11:00:00.000Z' }),
    bought({
      receivedAt: '2026-02-10T12:00:00.000Z',
      customerId: 'cus_ben',
      subtotalCents: 9_999,
    }),
    bought({ receivedAt: '2026-02-11T00:00:00.000Z', subtotalCents: 99 }),
    bought({
      receivedAt: '2026-03-01T09:00:00.000Z',
      occurredAt: '2026-02-28T23:59:59.000Z',
      subtotalCents: 1_000,
    }),
    bought({
      receivedAt: '2026-03-01T10:00:00.000Z',
      customerId: 'cus_ben',
      subtotalCents: 1_000,
    }),
  ];
  const result = replayed([active], draft, purchases);
  t.like(result, {
    purchases: 6,
    active: { points: 180, cents: 180 },
    draft: { points: 411, cents: 617 },
    differing: 6,
  });
  t.deepEqual(
    result.mostDiffering.map(({ eventId, active: before, draft: after }) => [
      eventId,
      before.points,
      before.cents,
      after.points,
      after.cents,
    ]),
    [
      [purchases[2]?.eventId, 80, 80, 150, 225],
      [purchases[1]?.eventId, 30, 30, 100, 150],
      [purchases[0]?.eventId, 50, 50, 100, 150],
      [purchases[5]?.eventId, 10, 10, 40, 60],
      [purchases[4]?.eventId, 10, 10, 20, 30],
      [purchases[3]?.eventId, 0, 0, 1, 2],
    ],
  );
  t.is(result.mostDiffering[0]?.active.explanation, 'floor(9999 × 1 / 100) = 99, capped at 80');
});

/**
 * Calculated by hand: 1 point for every 1.00; each order of 50.00 earns 50.
 *
 * | occurred | active, 120 in all | draft, 80 a month |
 * | 10 Feb   |                 50 |                50 |
 * | 11 Feb   |                 50 |                30 |
 * | 12 Feb   |                 20 |                 0 |
 * | 1 Mar    |                  0 |                50 |
 * | 28 Feb, received in March |  0 |               0 |
 * | sum      |                120 |               130 |
 */
test('a back-test replays each budget from nothing used, by the month in which a purchase happened', (t) => {
  const budgetOf = (totalPoints: number | null, monthPoints: number | null) => ({
    budget: { name: 'Spring', totalPoints, monthPoints },
  });
  const active = named('rul_active', budgetOf(120, null));
  const draft = named('rul_draft', budgetOf(null, 80));
  const on = (day: string, occurredAt: string | null = null) =>
    bought({ eventId: `evt_${day}`, receivedAt: `2026-${day}T10:00:00.000Z`, occurredAt });
  const purchases = [
    ...[on('02-10'), on('02-11'), on('02-12'), on('03-01')],
    on('03-02', '2026-02-28T10:00:00.000Z'),
  ];
  const { active: before, draft: after, differing } = replayed([active], draft, purchases);
  t.deepEqual([before.points, after.points, differing], [120, 130, 3]);
});

test('a budget that two rules share is used by the purchases of both in a back-test', (t) => {
  const budget = { name: 'Spring', totalPoints: 70, monthPoints: null };
  const other = { ...named('rul_till', { budget }), integrationId: 'int_till' };
  const draft = named('rul_draft', { budget });
  const purchases = [bought({ integrationId: 'int_till' }), bought(), bought()];
  const { draft: after } = replayed([other, named('rul_active')], draft, purchases);
  t.is(after.points, 20);
});

test('a back-test counts the reviews that a hold would have spared', (t) => {
  const active = named('rul_active');
  const purchases = [
    bought(),
    bought({ reviewedAt: '2026-02-24T09:59:59.999Z' }),
    bought({ reviewedAt: '2026-02-24T10:00:00.000Z' }),
    bought({ reviewedAt: '2026-02-20T10:00:00.000Z', occurredAt: '2026-02-01T10:00:00.000Z' }),
  ];
  const held = named('rul_held', { holdFor: 'P14D' });
  t.like(replayed([active], held, purchases), { reviewed: 3, spared: 1 });
  const without = replayed([active], named('rul_other'), purchases);
  t.like(without, { reviewed: 3, spared: 0 });
});

test('only purchases that the draft would apply to are counted', (t) => {
  const everywhere = named('rul_everywhere');
  const own = named('rul_own', { integrationId: 'int_own' }, fixed(7));
  const euro = named('rul_euro', { currency: 'EUR' });
  const purchases = [
    bought(),
    bought({ integrationId: 'int_own' }),
    bought({ currency: 'EUR' }),
    bought({ currency: 'GBP' }),
  ];
  const active = [everywhere, own, euro];
  const forAll = replayed(active, named('rul_draft', {}, fixed(1)), purchases);
  t.like(forAll, { purchases: 1, active: { points: 50 }, draft: { points: 1 } });
  const forOne = named('rul_draft', { integrationId: 'int_own' }, fixed(1));
  t.like(replayed(active, forOne, purchases), { purchases: 1, active: { points: 7 } });
  const another = named('rul_draft', { integrationId: 'int_1' }, fixed(1));
  t.like(replayed(active, another, purchases), { purchases: 1, active: { points: 50 } });
  const pounds = named('rul_draft', { currency: 'GBP' }, fixed(1));
  t.like(replayed(active, pounds, purchases), { purchases: 1, active: { points: 0, cents: 0 } });
  t.like(replayed([], everywhere, purchases), { purchases: 2, active: { points: 0 } });
});

test('points from another rule count towards the draft’s daily cap', (t) => {
  const own = named(
    'rul_own',
    { integrationId: 'int_own', capPerCustomerDayPoints: 100 },
    fixed(60),
  );
  const draft = named('rul_draft', { capPerCustomerDayPoints: 100 }, fixed(60));
  const purchases = [bought({ integrationId: 'int_own' }), bought()];
  t.like(replayed([own], draft, purchases), { purchases: 1, draft: { points: 40 } });
});

test('exactly the ten orders that differ most are shown', (t) => {
  const purchases = Array.from({ length: 200 }, (_, index) =>
    bought({ customerId: `cus_${index}`, subtotalCents: ((index * 37) % 200) * 100 }),
  );
  const { mostDiffering, differing } = replayed(
    [named('rul_active')],
    named('rul_draft', {}, perAmount(3)),
    purchases,
  );
  t.is(differing, 199);
  t.deepEqual(
    mostDiffering.map((one) => one.subtotalCents),
    Array.from({ length: 10 }, (_, index) => (199 - index) * 100),
  );
});

const day = fc.integer({ min: 0, max: 3 });
const purchases = fc
  .array(fc.record({ day, subtotalCents, customer: fc.constantFrom('anna', 'ben') }))
  .map((list) =>
    list
      .toSorted((one, other) => one.day - other.day)
      .map((one, index) =>
        bought({
          subtotalCents: one.subtotalCents,
          customerId: `cus_${one.customer}`,
          receivedAt: `2026-02-1${one.day}T10:00:00.${String(index % 1_000).padStart(3, '0')}Z`,
        }),
      ),
  );

test('a draft equal to the active rule changes nothing', (t) => {
  const active = named('rul_active', { capPerCustomerDayPoints: 5_000, multiplier: 2 });
  fc.assert(
    fc.property(purchases, (list) => {
      const result = replayed([active], { ...active, ruleId: 'rul_draft' }, list);
      t.is(result.purchases, list.length);
      t.deepEqual(result.active, result.draft);
      t.deepEqual([result.differing, result.mostDiffering], [0, []]);
    }),
  );
});

test('no customer earns more in a day than the cap', (t) => {
  const draft = named('rul_draft', { capPerCustomerDayPoints: 5_000 });
  fc.assert(
    fc.property(purchases, (list) => {
      const days = new Set(
        list.map(({ customerId, receivedAt }) => customerId + receivedAt.slice(0, 10)),
      );
      const { draft: total } = replayed([], draft, list);
      t.true(total.points <= 5_000 * days.size);
    }),
  );
});

test('an order can differ in points only, or in cost only', (t) => {
  const active = named('rul_active', { pointValueMicros: 10_000 });
  const cheaper = named('rul_draft', { pointValueMicros: 5_000 });
  t.is(replayed([active], cheaper, [bought()]).differing, 1);
  const samePrice = named('rul_draft', { pointValueMicros: 5_000 }, perAmount(2));
  t.is(replayed([active], samePrice, [bought()]).differing, 1);
  t.is(replayed([active], { ...active, ruleId: 'rul_same' }, [bought()]).differing, 0);
});

test('orders with the same difference in cost are sorted by difference in points, then stay in order', (t) => {
  const active = named('rul_active', { pointValueMicros: 0 });
  const draft = named('rul_draft', { pointValueMicros: 0 }, perAmount(2));
  const purchases = [1_000, 3_000, 2_000, 3_000].map((subtotalCents) => bought({ subtotalCents }));
  const { mostDiffering: most } = replayed([active], draft, purchases);
  t.deepEqual(
    most.map(({ draft: { points } }) => points),
    [60, 60, 40, 20],
  );
  t.deepEqual(
    most.slice(0, 2).map(({ externalOrderId }) => externalOrderId),
    [purchases[1], purchases[3]].map((one) => one?.externalOrderId),
  );
});

test('a rule in another currency is kept, and its points count towards the draft’s daily cap', (t) => {
  const capped = { capPerCustomerDayPoints: 100 };
  const euro = named('rul_euro', { currency: 'EUR', ...capped }, fixed(60));
  const draft = named('rul_draft', capped, fixed(60));
  const purchases = [bought({ currency: 'EUR' }), bought()];
  t.like(replayed([euro], draft, purchases), { purchases: 1, draft: { points: 40 } });
});

test('points from a rule without a cap count towards no cap', (t) => {
  const own = named('rul_own', { integrationId: 'int_own' }, fixed(60));
  const draft = named('rul_draft', { capPerCustomerDayPoints: 100 }, fixed(60));
  const purchases = [bought({ integrationId: 'int_own' }), bought()];
  t.like(replayed([own], draft, purchases), { purchases: 1, draft: { points: 60 } });
});

test('a sum beyond the safe integers is refused', (t) => {
  const draft = named('rul_draft', { pointValueMicros: 0 }, fixed(Number.MAX_SAFE_INTEGER));
  t.is(replayed([], draft, [bought()]).draft.points, Number.MAX_SAFE_INTEGER);
  t.throws(() => replayed([], draft, [bought(), bought()]), { instanceOf: RangeError });
});

test('orders are sorted by difference in cost, then in points', (t) => {
  const active = named('rul_active', { pointValueMicros: 4_000, capPerOrderPoints: 90 });
  const draft = named(
    'rul_draft',
    { pointValueMicros: 6_000, capPerOrderPoints: 60 },
    perAmount(2),
  );
  const differences = ({
    active: before,
    draft: after,
  }: Record<'active' | 'draft', { points: number; cents: number }>) => [
    Math.abs(after.cents - before.cents),
    Math.abs(after.points - before.points),
  ];
  const few = fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 10 });
  fc.assert(
    fc.property(few, (amounts) => {
      const purchases = amounts.map((amount) => bought({ subtotalCents: amount * 100 }));
      const shown = replayed([active], draft, purchases).mostDiffering.map(differences);
      const sorted = shown.toSorted(
        ([cents = 0, points = 0], [otherCents = 0, otherPoints = 0]) =>
          otherCents - cents || otherPoints - points,
      );
      t.deepEqual(shown, sorted);
    }),
  );
});
