import type { PlanVersionDoc } from '../../models/schemas/billing.ts';
import type { ApiMiddleware } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import { sharedResponse } from '../shared-response.ts';

/** A plan version as partners see it (docs/contract.md, Reads). */
export function presentPlanVersion(plan: PlanVersionDoc) {
  return {
    id: plan._id,
    planCode: plan.planCode,
    version: plan.version,
    name: plan.name,
    currency: plan.currency,
    monthlyPriceCents: plan.monthlyPriceCents,
    annualPriceCents: plan.annualPriceCents,
    includedPoints: plan.includedPoints,
    overageRateMicrosPerPoint: plan.overageRateMicrosPerPoint,
    apiRateLimitPerMinute: plan.apiRateLimitPerMinute,
    supportClass: plan.supportClass,
    features: plan.features,
    publishedAt: plan.publishedAt?.toISOString() ?? null,
  };
}

/** GET plans: the published plan versions, the newest of each plan first. */
export function getPlans({ publishedPlans }: Pick<AccountDeps, 'publishedPlans'>): ApiMiddleware {
  return sharedResponse(
    () => 'plans',
    async () => ({ success: true, plans: (await publishedPlans()).map(presentPlanVersion) }),
  );
}
