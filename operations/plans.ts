import Joi from 'joi';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { findPlanVersion } from '../models/billing/index.ts';
import type { PlanVersionDoc } from '../models/schemas/billing.ts';
import { insertNext } from '../models/store/insert-next.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps } from './deps.ts';
import { currencyCode, idField, shortText } from './fields.ts';
import { operation } from './operation.ts';

/**
 * Stops offering a plan version; existing subscriptions continue. Archiving it again keeps the first
 * time.
 */
export const archivePlanVersion = operation({
  name: 'plan.archive',
  permission: { operator: 'plan.archive', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ planVersionId: string }>({ planVersionId: idField }),
  find: ({ models }, { planVersionId }) => findPlanVersion(models, planVersionId),
  approval: 'NONE',
  audit: ({ planVersionId }) => ({ targetId: planVersionId, partnerId: null }),

  async run({ models, now }: AuditLogDeps, { planVersionId }) {
    await models.planVersions.updateOne(
      { _id: planVersionId, status: { $ne: 'ARCHIVED' } },
      { $set: { status: 'ARCHIVED', archivedAt: new Date(now()) } },
    );
    return await findPlanVersion(models, planVersionId);
  },
});

/** The fields of a plan version that operators enter. */
export type PlanVersionFields = Omit<
  PlanVersionDoc,
  '_id' | 'version' | 'status' | 'createdAt' | 'publishedAt' | 'archivedAt'
>;

/** Chosen so that a partner's maximum debt for a year is far below the largest safe integer. */
export const planLimits = {
  priceCents: 1_000_000_000,
  includedPoints: 1_000_000_000_000,
  overageRateMicrosPerPoint: 1_000_000_000,
  apiRateLimitPerMinute: 1_000_000,
} as const;

const maxRaces = 10;

/**
 * Drafts the next version of a plan, or the first of a new one. It is not offered until it is published.
 */
export const createPlanVersion = operation({
  name: 'plan.create',
  permission: { operator: 'plan.create', user: null },
  secondFactor: 'ALWAYS',
  // Names and types only; the limits of numbers are checked below.
  input: Joi.object<PlanVersionFields>({
    planCode: Joi.string()
      .pattern(/^[a-z][a-z0-9-]{0,39}$/)
      .required()
      .messages({
        'string.pattern.base': 'planCode must be up to 40 lowercase letters, digits and hyphens',
      }),
    name: shortText(100).required(),
    currency: currencyCode.default('USD'),
    monthlyPriceCents: Joi.number().required(),
    annualPriceCents: Joi.number().required(),
    includedPoints: Joi.number().required(),
    overageRateMicrosPerPoint: Joi.number().required(),
    apiRateLimitPerMinute: Joi.number().required(),
    supportClass: shortText(40).required(),
    features: Joi.array().items(shortText(100)).max(50).default([]),
  }),
  find: () => null,
  approval: 'NONE',
  audit: (input) => ({ targetId: null, partnerId: null, details: { ...input } }),

  /** @throws ServiceError VALIDATION_FAILED for a number outside the limits, CONFLICT after too many lost races */
  async run({ models, now }: AuditLogDeps, fields): Promise<PlanVersionDoc> {
    requireNumbers(fields);
    const { planCode } = fields;
    return await insertNext({
      newest: () => models.planVersions.findOne({ planCode }).sort({ version: -1 }),
      next: (newest): PlanVersionDoc => ({
        ...fields,
        _id: newId('planVersion'),
        version: (newest?.version ?? 0) + 1,
        status: 'DRAFT',
        createdAt: new Date(now()),
        publishedAt: null,
        archivedAt: null,
      }),
      insert: (planVersion) => models.planVersions.create(planVersion),
      maxRaces,
      allLost: () =>
        new ServiceError('CONFLICT', `Others are drafting ${planCode} right now. Try again.`),
    });
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

/** The limits of each number. */
const bounds = {
  monthlyPriceCents: [0, planLimits.priceCents],
  annualPriceCents: [0, planLimits.priceCents],
  includedPoints: [0, planLimits.includedPoints],
  overageRateMicrosPerPoint: [0, planLimits.overageRateMicrosPerPoint],
  apiRateLimitPerMinute: [1, planLimits.apiRateLimitPerMinute],
} as const;

/** @throws ServiceError VALIDATION_FAILED naming each number outside its limits */
function requireNumbers(fields: Record<keyof typeof bounds, number>): void {
  const problems = Object.entries(bounds).flatMap(([name, [min, max]]) => {
    const value = fields[name as keyof typeof bounds];
    if (Number.isSafeInteger(value) && value >= min && value <= max) return [];
    return [[name, `${name} must be an integer from ${min} to ${max}`]];
  });
  if (problems.length > 0) throw invalidFields(Object.fromEntries(problems));
}

/** Offers a draft to everyone. From then on it never changes. Publishing it again keeps the first time. */
export const publishPlanVersion = operation({
  name: 'plan.publish',
  permission: { operator: 'plan.publish', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ planVersionId: string }>({ planVersionId: idField }),
  find: ({ models }, { planVersionId }) => findPlanVersion(models, planVersionId),
  approval: 'NONE',
  audit: ({ planVersionId }) => ({ targetId: planVersionId, partnerId: null }),

  /** @throws ServiceError CONFLICT for an archived version */
  async run({ models, now }: AuditLogDeps, { planVersionId }): Promise<PlanVersionDoc> {
    await models.planVersions.updateOne(
      { _id: planVersionId, status: 'DRAFT' },
      { $set: { status: 'PUBLISHED', publishedAt: new Date(now()) } },
    );
    const planVersion = await findPlanVersion(models, planVersionId);
    if (planVersion.status === 'PUBLISHED') return planVersion;
    throw new ServiceError('CONFLICT', `${planVersionId} is archived. Draft a new version.`);
  },
});
