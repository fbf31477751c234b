import type { PlanOffer } from '../../domain/recommendation.ts';
import type { Models } from '../schemas/index.ts';
import type { PlanVersionDoc } from '../schemas/plan-version.ts';

/** A bound on the read; no price list is as long. */
const maxPublished = 200;
const published = { status: 'PUBLISHED' } as const;
const newestOfPlan = { planCode: 1, version: -1 } as const;

/**
 * Every published version: the plans from the least to the most expensive, and of each plan the
 * newest version first.
 */
export async function findPublishedPlans(models: Models): Promise<PlanVersionDoc[]> {
  const versions = models.planVersions.find(published).sort(newestOfPlan).limit(maxPublished);
  return byPrice(await versions.lean());
}

/** The same by one read with the version that a partner has, which may be offered no longer. */
export async function findPlansFor(
  models: Models,
  planVersionId: string | null,
): Promise<{ published: PlanVersionDoc[]; own: PlanVersionDoc | null }> {
  const versions = await models.planVersions
    .find({ $or: [published, { _id: planVersionId }] })
    .sort(newestOfPlan)
    .limit(maxPublished + 1)
    .lean();
  return {
    published: byPrice(versions.filter(({ status }) => status === 'PUBLISHED')),
    own: versions.find(({ _id }) => _id === planVersionId) ?? null,
  };
}

function byPrice(versions: PlanVersionDoc[]): PlanVersionDoc[] {
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
