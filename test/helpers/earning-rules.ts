import fc from 'fast-check';
import {
  type Earning,
  type EarningRule,
  type RuleKind,
  type RuleTerms,
  ruleLimits,
} from '../../domain/earning-rules.ts';
import { maxSubtotalCents } from '../../domain/points.ts';

const startsAt = '2026-03-01T00:00:00.000Z';
const endsAt = '2026-04-01T00:00:00.000Z';
export const campaignStartsAtMs = Date.parse(startsAt);
export const campaignEndsAtMs = Date.parse(endsAt);
export const campaign = { startsAt, endsAt };

export const perAmount = (points: number, unitCents = 100): Earning => ({
  kind: 'PER_AMOUNT',
  points,
  unitCents,
});
export const fixed = (points: number): Earning => ({ kind: 'FIXED', points });

/** Ten points for every whole 1.00. */
export function aRule(terms: Partial<RuleTerms> = {}, earning = perAmount(10)): EarningRule {
  return {
    ruleId: 'rul_1',
    partnerId: 'prt_1',
    mode: 'LIVE',
    integrationId: null,
    currency: 'USD',
    minimumOrderCents: 0,
    multiplier: 1,
    campaign: null,
    capPerOrderPoints: null,
    capPerCustomerDayPoints: null,
    claimWindow: 'P30D',
    pointValueMicros: 10_000,
    ...terms,
    ...earning,
  };
}

export const subtotalCents = fc.integer({ min: 0, max: maxSubtotalCents });
const cap = fc.option(fc.integer({ min: 0, max: ruleLimits.capPoints }));
const atMs = fc.integer({ min: campaignStartsAtMs - 3, max: campaignEndsAtMs + 3 });

const somePoints = fc.integer({ min: 0, max: ruleLimits.points });
const unitCents = fc.oneof(
  fc.integer({ min: 1, max: 1_000 }),
  fc.integer({ min: 1, max: ruleLimits.unitCents }),
);
const earnings: { [Kind in RuleKind]: fc.Arbitrary<Earning> } = {
  PER_AMOUNT: fc.tuple(somePoints, unitCents).map(([points, unit]) => perAmount(points, unit)),
  FIXED: somePoints.map(fixed),
};

/** Every combination of the fields that affect points. */
const storableRule: fc.Arbitrary<EarningRule> = fc
  .record({
    earning: fc.oneof(...Object.values(earnings)),
    minimumOrderCents: fc.oneof(fc.constant(0), subtotalCents),
    multiplier: fc
      .integer({ min: 100, max: ruleLimits.multiplier * 100 })
      .map((hundredths) => hundredths / 100),
    campaign: fc.option(fc.constant(campaign)),
    capPerOrderPoints: cap,
    capPerCustomerDayPoints: cap,
  })
  .map(({ earning, ...terms }) => aRule(terms, earning));

export const purchase = fc.record({
  rule: storableRule,
  subtotalCents,
  atMs,
  dayLeftShare: fc.integer({ min: 0, max: 4 }),
});

/** The points left of a day's cap; null for a rule without one. */
export function dayLeftPoints(rule: EarningRule, share: number): number | null {
  const daily = rule.capPerCustomerDayPoints;
  return daily === null ? null : Math.floor((daily * share) / 4);
}
