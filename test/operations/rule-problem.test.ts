import test from 'ava';
import fc from 'fast-check';
import { type Earning, type RuleTerms, ruleLimits } from '../../domain/earning-rules.ts';
import { computePoints, largestReward, maxSubtotalCents } from '../../domain/points.ts';
import { liabilityCentsOf } from '../../domain/postings.ts';
import { ruleProblems } from '../../operations/earning-rules.ts';

const plain: RuleTerms & Earning = {
  partnerId: 'prt_1',
  mode: 'LIVE',
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
/** Every term at its limit, so that the largest order would earn 10^15 points. */
const generous = {
  ...plain,
  points: ruleLimits.points,
  unitCents: 1,
  multiplier: ruleLimits.multiplier,
};

test('a rule whose largest purchase would overflow is refused on creation', (t) => {
  t.is(ruleProblems(generous), undefined);
  t.is(largestReward({ ruleId: 'rul_1', ...generous }).points, 1e15);
  const dear = { ...generous, pointValueMicros: 100_000 };
  t.regex(ruleProblems(dear)?.capPerOrderPoints ?? '', /capPerOrderPoints: .* set a limit/);
  const campaign = { startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00Z' };
  t.regex(ruleProblems({ ...dear, campaign })?.capPerOrderPoints ?? '', /set a limit/);
  t.is(ruleProblems({ ...dear, capPerOrderPoints: ruleLimits.capPoints }), undefined);
  t.is(ruleProblems({ ...dear, capPerCustomerDayPoints: ruleLimits.capPoints }), undefined);
});

test('every mistake in a rule is named at once', (t) => {
  const campaign = { startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' };
  const wrong = { ...plain, points: -1, multiplier: 0, claimWindow: 'P1000Y', campaign };
  const problems = ruleProblems(wrong) ?? {};
  t.deepEqual(Object.keys(problems).toSorted(), [
    ...['campaign.endsAt', 'claimWindow', 'multiplier', 'points'],
  ]);
  t.is(problems.multiplier, 'multiplier must be an integer from 1 to 100');
  t.is(problems['campaign.endsAt'], "campaign.endsAt must be after the campaign's start");
});

/** Integers in a range, with its ends and small values more often. */
const upTo = (max: number, min = 0) =>
  fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }), fc.integer({ min, max: min + 50 }));
const cap = fc.option(upTo(ruleLimits.capPoints), { freq: 2 });

const anyRule = fc
  .record({
    points: upTo(ruleLimits.points),
    unitCents: fc.option(upTo(ruleLimits.unitCents, 1)),
    minimumOrderCents: upTo(maxSubtotalCents),
    multiplier: upTo(ruleLimits.multiplier, 1),
    campaign: fc.option(
      fc.constant({ startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00Z' }),
    ),
    capPerOrderPoints: cap,
    capPerCustomerDayPoints: cap,
    pointValueMicros: upTo(ruleLimits.pointValueMicros),
  })
  .map(({ points, unitCents, ...terms }): RuleTerms & Earning => {
    const { unitCents: _, ...common } = plain;
    return unitCents === null
      ? { ...common, ...terms, kind: 'FIXED', points }
      : { ...common, ...terms, kind: 'PER_AMOUNT', points, unitCents };
  });

test('a stored rule can compute every purchase and its cost', (t) => {
  let stored = 0;
  const property = fc.property(
    anyRule,
    upTo(maxSubtotalCents),
    fc.boolean(),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (rule, subtotalCents, isDuringCampaign, left) => {
      if (ruleProblems(rule) !== undefined) return;
      stored += 1;
      const atMs = Date.parse(isDuringCampaign ? '2030-01-01T12:00:00Z' : '2031-01-01T00:00:00Z');
      const { capPerCustomerDayPoints: ofDay } = rule;
      const dayLeft = ofDay === null ? null : Math.floor(ofDay * left);
      const { points } = computePoints({ ruleId: 'rul_1', ...rule }, subtotalCents, atMs, dayLeft);
      const cents = liabilityCentsOf(points, rule.pointValueMicros);
      if (!Number.isSafeInteger(cents)) throw new Error(`${cents} cents`);
    },
  );
  t.notThrows(() => fc.assert(property, { numRuns: 5_000 }));
  t.true(stored > 1_000, `${stored} of the rules are valid`);
});
