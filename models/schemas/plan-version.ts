import { collection, date, listOf, nullable, number, oneOf, type Stored, text } from './fields.ts';

/**
 * One version of a plan, for all partners. A draft is published once; after that it can only be
 * archived, which means that it is no longer offered, and those who have it keep it. There are few,
 * so that they stay on one shard and `planCode` and `version` are unique without a partner in the
 * key.
 */
export const planVersionSchema = collection('plan_versions', {
  _id: text,
  planCode: text,
  version: number,
  name: text,
  /** ISO 4217. */
  currency: text,
  monthlyPriceCents: number,
  annualPriceCents: number,
  includedPoints: number,
  overageRateMicrosPerPoint: number,
  apiRateLimitPerMinute: number,
  supportClass: text,
  features: listOf(text),
  status: oneOf(['DRAFT', 'PUBLISHED', 'ARCHIVED']),
  createdAt: date,
  publishedAt: nullable(date),
  archivedAt: nullable(date),
});
export type PlanVersionDoc = Stored<typeof planVersionSchema>;
planVersionSchema.index({ planCode: 1, version: -1 }, { unique: true });
planVersionSchema.index({ status: 1, planCode: 1, version: -1 });
