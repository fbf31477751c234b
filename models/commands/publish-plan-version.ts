import { ServiceError } from '../../domain/errors.ts';
import type { PlanVersionDoc } from '../schemas/plan-version.ts';
import type { CommandDeps } from './deps.ts';
import { findPlanVersion } from './find-billing.ts';

/**
 * Offers a draft to everyone. From now on it never changes. Publishing it again keeps the first time.
 * @throws ServiceError NOT_FOUND, or CONFLICT for one that is archived
 */
export async function publishPlanVersion(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  planVersionId: string,
): Promise<PlanVersionDoc> {
  await models.planVersions.updateOne(
    { _id: planVersionId, status: 'DRAFT' },
    { $set: { status: 'PUBLISHED', publishedAt: new Date(now()) } },
  );
  const planVersion = await findPlanVersion(models, planVersionId);
  if (planVersion.status === 'PUBLISHED') return planVersion;
  throw new ServiceError('CONFLICT', `${planVersionId} is archived. Draft a new version.`);
}
