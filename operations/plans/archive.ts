import Joi from 'joi';
import { findPlanVersion } from '../../models/billing/index.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

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

  async run({ models, now }: AuditDeps, { planVersionId }) {
    await models.planVersions.updateOne(
      { _id: planVersionId, status: { $ne: 'ARCHIVED' } },
      { $set: { status: 'ARCHIVED', archivedAt: new Date(now()) } },
    );
    return await findPlanVersion(models, planVersionId);
  },
});
