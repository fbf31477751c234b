import test from 'ava';
import fc from 'fast-check';
import {
  judge,
  type PastReview,
  type PolicyCase,
  type PolicyTerms,
  policyConditions,
  testPolicy,
  upholds,
  upholdsAtOf,
} from '../../domain/refund-policy.ts';

const dayMs = 86_400_000;
const purchasedAt = new Date('2026-03-01T12:00:00.000Z');
const onDay = (days: number) => new Date(purchasedAt.getTime() + days * dayMs);

const policy: PolicyTerms = {
  partnerId: 'prt_1',
  mode: 'LIVE',
  maxCents: 5_000,
  perCustomer: { count: 2, days: 90 },
  withinDays: 30,
  graceHours: 48,
};
const asked: PolicyCase = {
  lost: { points: 100, liabilityCents: 5_000 },
  holds: { points: 100, owedCents: 5_000 },
  earlier: [],
  purchasedAt,
  refundedAt: onDay(30),
};

const rows: [
  what: string,
  policy: Partial<PolicyTerms>,
  asked: Partial<PolicyCase>,
  unmet: string[],
][] = [
  ['all conditions at their limits', {}, {}, []],
  ['a point that is gone', {}, { holds: { points: 99, owedCents: 5_000 } }, ['HAS_POINTS']],
  ['a cent that is gone', {}, { holds: { points: 100, owedCents: 4_999 } }, ['HAS_POINTS']],
  ['more points than it is about', {}, { holds: { points: 900, owedCents: 9_000 } }, []],
  [
    'a cent too much',
    {},
    { lost: { points: 99, liabilityCents: 5_001 }, holds: { points: 99, owedCents: 5_001 } },
    ['MAX_CENTS'],
  ],
  ['the second in the days', {}, { earlier: [onDay(29)] }, []],
  ['the third in the days', {}, { earlier: [onDay(29), onDay(-59)] }, ['PER_CUSTOMER']],
  ['the third, of which one is too long ago', {}, { earlier: [onDay(29), onDay(-60)] }, []],
  [
    'a millisecond too late',
    {},
    { refundedAt: new Date(onDay(30).getTime() + 1) },
    ['WITHIN_DAYS'],
  ],
  ['a refund before the purchase by another clock', {}, { refundedAt: onDay(-1) }, []],
  [
    'everything wrong',
    {},
    {
      lost: { points: 200, liabilityCents: 6_000 },
      earlier: [onDay(30), onDay(31)],
      refundedAt: onDay(31),
    },
    [...policyConditions],
  ],
  [
    'no conditions',
    { maxCents: null, perCustomer: null, withinDays: null },
    {
      lost: { points: 100, liabilityCents: 5_000 },
      earlier: [onDay(30), onDay(30)],
      refundedAt: onDay(400),
    },
    [],
  ],
];

for (const [what, terms, facts, unmet] of rows) {
  test(`${what}: ${unmet.length === 0 ? 'upheld' : `not upheld, for ${unmet.join(', ')}`}`, (t) => {
    const judged = judge({ ...policy, ...terms }, { ...asked, ...facts });
    t.deepEqual(
      judged.flatMap(({ condition, isMet }) => (isMet ? [] : [condition])),
      unmet as never[],
    );
    t.is(upholds(judged), unmet.length === 0);
  });
}

test('each condition says its limit and its value', (t) => {
  const judged = judge(policy, { ...asked, earlier: [onDay(1)], refundedAt: onDay(9.5) });
  t.deepEqual(judged, [
    { condition: 'HAS_POINTS', limit: 100, value: 100, isMet: true },
    { condition: 'MAX_CENTS', limit: 5_000, value: 5_000, isMet: true },
    { condition: 'PER_CUSTOMER', limit: 2, value: 2, isMet: true },
    { condition: 'WITHIN_DAYS', limit: 30, value: 10, isMet: true },
  ]);
  const none = { ...policy, maxCents: null, perCustomer: null, withinDays: null };
  t.deepEqual(
    judge(none, asked).map(({ condition }) => condition),
    ['HAS_POINTS'],
  );
});

test('the points are taken back once the grace is over', (t) => {
  t.deepEqual(upholdsAtOf(policy, onDay(1)), onDay(3));
});

const amount = fc.nat({ max: 200 });
const someCase = fc.record({
  lost: fc.record({ points: amount, liabilityCents: amount }),
  holds: fc.record({ points: amount, owedCents: amount }),
  earlier: fc.array(fc.integer({ min: -200, max: 40 }).map(onDay), { maxLength: 5 }),
  purchasedAt: fc.constant(purchasedAt),
  refundedAt: fc.integer({ min: 0, max: 80 }).map(onDay),
});

test('whatever a policy says, it never upholds what the customer does not have', (t) => {
  const terms = fc.record({
    maxCents: fc.option(amount),
    perCustomer: fc.option(fc.constant({ count: 2, days: 90 })),
    withinDays: fc.option(fc.constant(30)),
  });
  const property = fc.property(terms, someCase, (some, one) => {
    if (!upholds(judge({ ...policy, ...some }, one))) return true;
    return one.lost.points <= one.holds.points && one.lost.liabilityCents <= one.holds.owedCents;
  });
  t.notThrows(() => fc.assert(property));
});

test('a stricter policy upholds nothing that another does not', (t) => {
  const property = fc.property(someCase, amount, amount, (one, cents, less) => {
    const strict = { ...policy, maxCents: Math.max(0, cents - less) };
    return !upholds(judge(strict, one)) || upholds(judge({ ...policy, maxCents: cents }, one));
  });
  t.notThrows(() => fc.assert(property));
});

test('past reviews are tried in order, and those that operators decided otherwise are named', (t) => {
  const past = (
    nth: number,
    verdict: PastReview['verdict'],
    changes: Partial<PolicyCase> = {},
  ) => ({
    reviewId: `rev_${nth}`,
    externalOrderId: `order-${nth}`,
    customerId: 'cus_1',
    verdict,
    asked: { ...asked, refundedAt: onDay(nth), ...changes },
  });
  const tested = testPolicy(policy, [
    past(1, 'UPHOLD'),
    past(2, 'DISMISS', { holds: { points: 0, owedCents: 0 } }),
    past(3, 'DISMISS'),
    past(4, 'UPHOLD'),
    { ...past(5, 'UPHOLD'), customerId: 'cus_2' },
  ]);
  t.like(tested, { reviews: 5, upheld: 3, otherwiseCents: 5_000 });
  t.deepEqual(
    tested.otherwise.map(({ reviewId }) => reviewId),
    ['rev_3'],
  );
});
