import { system } from '../operations/actor.ts';
import type { OperationDeps } from '../operations/deps.ts';
import { execute } from '../operations/execute.ts';
import {
  createPlanVersion,
  type PlanVersionFields,
  publishPlanVersion,
} from '../operations/plans.ts';

/** Larger plans have lower overage rates, so that partners with many points pay less on them. */
const plans = {
  starter: {
    planCode: 'starter',
    name: 'Starter',
    currency: 'USD',
    monthlyPriceCents: 4_900,
    annualPriceCents: 49_000,
    includedPoints: 100_000,
    overageRateMicrosPerPoint: 800,
    apiRateLimitPerMinute: 600,
    supportClass: 'EMAIL',
    features: ['TEST and LIVE credentials', 'email claim links'],
  },
  growth: {
    planCode: 'growth',
    name: 'Growth',
    currency: 'USD',
    monthlyPriceCents: 24_900,
    annualPriceCents: 249_000,
    includedPoints: 1_000_000,
    overageRateMicrosPerPoint: 400,
    apiRateLimitPerMinute: 6_000,
    supportClass: 'PRIORITY',
    features: ['everything in Starter', 'multiplier campaigns', 'earning rules per integration'],
  },
  scale: {
    planCode: 'scale',
    name: 'Scale',
    currency: 'USD',
    monthlyPriceCents: 99_900,
    annualPriceCents: 999_000,
    includedPoints: 5_000_000,
    overageRateMicrosPerPoint: 200,
    apiRateLimitPerMinute: 60_000,
    supportClass: 'DEDICATED',
    features: ['everything in Growth', 'a named contact', 'review of refunds within a day'],
  },
} satisfies Record<string, PlanVersionFields>;

export type SeededPlans = Record<keyof typeof plans, string>;

/**
 * Publishes the three initial plans unless they are published already.
 * @returns the id of the newest published version of each
 */
export async function seedPlans(deps: Pick<OperationDeps, 'models' | 'now'>): Promise<SeededPlans> {
  return {
    starter: await ensurePublished(deps, plans.starter),
    growth: await ensurePublished(deps, plans.growth),
    scale: await ensurePublished(deps, plans.scale),
  };
}

async function ensurePublished(
  deps: Pick<OperationDeps, 'models' | 'now'>,
  plan: PlanVersionFields,
): Promise<string> {
  const published = await deps.models.planVersions
    .findOne({ planCode: plan.planCode, status: 'PUBLISHED' })
    .sort({ version: -1 });
  if (published) return published._id;
  const { _id } = await execute(deps, createPlanVersion, system('seed'), plan);
  return (await execute(deps, publishPlanVersion, system('seed'), { planVersionId: _id }))._id;
}
