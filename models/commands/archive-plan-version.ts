import type { PlanVersionDoc } from '../schemas/plan-version.ts';
import type { CommandDeps } from './deps.ts';
import { findPlanVersion } from './find-billing.ts';

/**
 * Offers a plan version no longer; subscriptions that have it go on. Archiving it again keeps the
 * first time.
 * @throws ServiceError NOT_FOUND
 */
export async function archivePlanVersion(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  planVersionId: string,
): Promise<PlanVersionDoc> {
  await models.planVersions.updateOne(
    { _id: planVersionId, status: { $ne: 'ARCHIVED' } },
    { $set: { status: 'ARCHIVED', archivedAt: new Date(now()) } },
  );
  return await findPlanVersion(models, planVersionId);
}
