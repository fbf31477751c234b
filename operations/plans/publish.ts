import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findPlanVersion } from '../../models/billing/index.ts';
import type { PlanVersionDoc } from '../../models/schemas/billing.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

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
  async run({ models, now }: AuditDeps, { planVersionId }): Promise<PlanVersionDoc> {
    await models.planVersions.updateOne(
      { _id: planVersionId, status: 'DRAFT' },
      { $set: { status: 'PUBLISHED', publishedAt: new Date(now()) } },
    );
    const planVersion = await findPlanVersion(models, planVersionId);
    if (planVersion.status === 'PUBLISHED') return planVersion;
    throw new ServiceError('CONFLICT', `${planVersionId} is archived. Draft a new version.`);
  },
});
