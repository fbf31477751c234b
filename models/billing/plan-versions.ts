import { LRUCache } from 'lru-cache';
import type { PlanOffer } from '../../domain/usage.ts';
import type { PlanVersionDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';

/** A bound on the read, longer than any price list. */
const maxPublished = 200;
const published = { status: 'PUBLISHED' } as const;
const newestOfPlan = { planCode: 1, version: -1 } as const;

/**
 * All published versions: plans from the least to the most expensive, and of each plan the newest
 * version first.
 */
export async function findPublishedPlans(models: Models): Promise<PlanVersionDoc[]> {
  const versions = models.planVersions.find(published).sort(newestOfPlan).limit(maxPublished);
  return byPrice(await versions);
}

/** Reads every published version. */
export type PublishedPlans = () => Promise<PlanVersionDoc[]>;

/**
 * A cached read of the published versions.
 * @param rememberedMs how long the result is cached; 0 to always read
 */
export function createPublishedPlans(models: Models, rememberedMs: number): PublishedPlans {
  if (rememberedMs === 0) return () => findPublishedPlans(models);
  const list = new LRUCache<'published', PlanVersionDoc[]>({
    max: 1,
    ttl: rememberedMs,
    fetchMethod: () => findPublishedPlans(models),
  });
  return () => list.forceFetch('published');
}

function byPrice(versions: PlanVersionDoc[]): PlanVersionDoc[] {
  const plans = Object.values(Object.groupBy(versions, ({ planCode }) => planCode));
  const priceOf = (plan: PlanVersionDoc[] | undefined) => plan?.[0]?.monthlyPriceCents ?? 0;
  return plans.sort((one, other) => priceOf(one) - priceOf(other)).flatMap((plan) => plan ?? []);
}

/** A plan version as the recommendation takes it. */
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
