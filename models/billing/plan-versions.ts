import type { PlanOffer } from '../../domain/recommendation.ts';
import type { Models } from '../schemas/index.ts';
import type { PlanVersionDoc } from '../schemas/plan-version.ts';

/** A bound on the read; no price list is as long. */
const maxPublished = 200;

/**
 * Every published version: the plans from the least to the most expensive, and of each plan the
 * newest version first.
 */
export async function findPublishedPlans(models: Models): Promise<PlanVersionDoc[]> {
  const versions = await models.planVersions
    .find({ status: 'PUBLISHED' })
    .sort({ planCode: 1, version: -1 })
    .limit(maxPublished)
    .lean();
  const plans = Object.values(Object.groupBy(versions, ({ planCode }) => planCode));
  const priceOf = (plan: PlanVersionDoc[] | undefined) => plan?.[0]?.monthlyPriceCents ?? 0;
  return plans.sort((one, other) => priceOf(one) - priceOf(other)).flatMap((plan) => plan ?? []);
}

/** A plan version, as the recommendation of a plan compares it. */
export function toOffer({ _id, ...plan }: PlanVersionDoc): PlanOffer {
  const { name, currency, monthlyPriceCents, annualPriceCents } = plan;
  const { includedPoints, overageRateMicrosPerPoint } = plan;
  return {
    planVersionId: _id,
    name,
    currency,
    monthlyPriceCents,
    annualPriceCents,
    includedPoints,
    overageRateMicrosPerPoint,
  };
}
