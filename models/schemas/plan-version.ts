import { Schema } from 'mongoose';
import type { PlanPricing } from '../../domain/plan-arithmetic.ts';

/**
 * One version of a plan, for all partners. A draft is published once; after that it can only be
 * archived, which means that it is no longer offered, and those who have it keep it. There are few,
 * so that they stay on one shard and `planCode` and `version` are unique without a partner in the
 * key.
 */
export interface PlanVersionDoc extends PlanPricing {
  _id: string;
  planCode: string;
  version: number;
  name: string;
  /** ISO 4217. */
  currency: string;
  apiRateLimitPerMinute: number;
  supportClass: string;
  features: string[];
  status: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED';
  createdAt: Date;
  publishedAt: Date | null;
  archivedAt: Date | null;
}

export const planVersionSchema = new Schema<PlanVersionDoc>(
  {
    _id: { type: String, required: true },
    planCode: { type: String, required: true },
    version: { type: Number, required: true },
    name: { type: String, required: true },
    currency: { type: String, required: true },
    monthlyPriceCents: { type: Number, required: true },
    annualPriceCents: { type: Number, required: true },
    includedPoints: { type: Number, required: true },
    overageRateMicrosPerPoint: { type: Number, required: true },
    apiRateLimitPerMinute: { type: Number, required: true },
    supportClass: { type: String, required: true },
    features: { type: [String], required: true },
    status: { type: String, enum: ['DRAFT', 'PUBLISHED', 'ARCHIVED'], required: true },
    createdAt: { type: Date, required: true },
    publishedAt: { type: Date, default: null },
    archivedAt: { type: Date, default: null },
  },
  { collection: 'plan_versions', versionKey: false },
);
planVersionSchema.index({ planCode: 1, version: -1 }, { unique: true });
planVersionSchema.index({ status: 1, planCode: 1, version: -1 });
