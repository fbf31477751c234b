import test from 'ava';
import { type PlanOffer, recommend } from '../../domain/usage.ts';

const offer = (changes: Partial<PlanOffer>): PlanOffer => ({
  planVersionId: 'pln_starter',
  name: 'Starter',
  currency: 'USD',
  monthlyPriceCents: 4_900,
  annualPriceCents: 49_000,
  includedPoints: 100_000,
  overageRateMicrosPerPoint: 800,
  ...changes,
});
const starter = offer({});
const growth = offer({
  planVersionId: 'pln_growth',
  name: 'Growth',
  monthlyPriceCents: 24_900,
  annualPriceCents: 249_000,
  includedPoints: 1_000_000,
  overageRateMicrosPerPoint: 400,
});
const published = [starter, growth];

test('a partner whose overage costs more than the larger plan is advised to upgrade, with the savings', (t) => {
  // 49.00 + 900,000 × 0.0008 = 769.00, compared with 249.00.
  t.deepEqual(recommend(starter, published, 'MONTH', 1_000_000), {
    action: 'UPGRADE',
    planVersionId: 'pln_growth',
    estimatedSavingsCents: 52_000,
    reason: 'At 1,000,000 points a month, Growth costs $249.00, compared with $769.00 for Starter.',
  });
});

test('a partner who hardly uses the plan is advised to take the smaller one', (t) => {
  t.deepEqual(recommend(growth, published, 'MONTH', 90_000), {
    action: 'DOWNGRADE',
    planVersionId: 'pln_starter',
    estimatedSavingsCents: 20_000,
    reason: 'At 90,000 points a month, Starter costs $49.00, compared with $249.00 for Growth.',
  });
});

test('between plans of equal cost the partner stays', (t) => {
  // 49.00 + 250,000 × 0.0008 = 249.00.
  t.deepEqual(recommend(starter, published, 'MONTH', 350_000), {
    action: 'STAY',
    planVersionId: null,
    estimatedSavingsCents: 0,
    reason: 'At 350,000 points a month, Starter costs $249.00, and no other plan costs less.',
  });
  t.is(recommend(growth, published, 'MONTH', 350_000).action, 'STAY');
});

test('a year is compared with annual prices and twelve allowances', (t) => {
  // 490.00 + 2,800,000 × 0.0008 = 2,730.00, compared with 2,490.00. Billed by month, it would stay.
  t.like(recommend(starter, published, 'YEAR', 4_000_000), {
    action: 'UPGRADE',
    estimatedSavingsCents: 24_000,
    reason:
      'At 4,000,000 points a year, Growth costs $2,490.00, compared with $2,730.00 for Starter.',
  });
});

test('a plan in another currency is not compared', (t) => {
  const foreign = offer({ planVersionId: 'pln_euro', currency: 'EUR', monthlyPriceCents: 1 });
  t.is(recommend(starter, [starter, foreign], 'MONTH', 1_000).action, 'STAY');
});

test('a plan that is no longer published is compared with the published ones', (t) => {
  const archived = offer({ planVersionId: 'pln_old', name: 'Old', monthlyPriceCents: 5_000 });
  t.like(recommend(archived, published, 'MONTH', 1_000), {
    action: 'DOWNGRADE',
    planVersionId: 'pln_starter',
    estimatedSavingsCents: 100,
  });
});

test('without a subscription, or without plans, there is nothing to change', (t) => {
  t.is(recommend(null, published, 'MONTH', 1_000_000).action, 'STAY');
  t.is(recommend(starter, [], 'MONTH', 1_000_000).action, 'STAY');
});

test('of plans with equal cost, the one with the lower price is named', (t) => {
  const current = offer({ planVersionId: 'pln_now', monthlyPriceCents: 90_000 });
  const dear = offer({
    planVersionId: 'pln_dear',
    monthlyPriceCents: 10_000,
    includedPoints: 200_000,
  });
  // Its 100,000 points above the allowance cost 50.00, exactly the difference in price.
  const cheap = offer({
    planVersionId: 'pln_cheap',
    monthlyPriceCents: 5_000,
    includedPoints: 100_000,
    overageRateMicrosPerPoint: 500,
  });
  for (const published of [
    [dear, cheap],
    [cheap, dear],
  ]) {
    t.is(recommend(current, published, 'MONTH', 200_000).planVersionId, 'pln_cheap');
  }
});

test('a plan with the same price and a lower cost is no upgrade', (t) => {
  const roomy = offer({ planVersionId: 'pln_roomy', name: 'Roomy', includedPoints: 200_000 });
  // The plan with half the allowance costs 100,000 × 0.0008 = 80.00 more.
  t.like(recommend(starter, [starter, roomy], 'MONTH', 200_000), {
    action: 'DOWNGRADE',
    planVersionId: 'pln_roomy',
    estimatedSavingsCents: 8_000,
  });
});
