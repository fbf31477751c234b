import type { Mode } from '../domain/mode.ts';
import { findJob, findJobs, isStalled } from '../models/jobs/index.ts';
import type { JobDoc, JobKind } from '../models/schemas/job.ts';
import type { PartnerScope } from '../models/views/partner-scope.ts';
import { startWork } from '../operations/jobs/start-work.ts';
import { type PageContext, param } from './context.ts';
import type { PortalDeps } from './deps.ts';
import { nothingHere } from './middleware/well-formed.ts';
import { ownScope } from './routing/own-scope.ts';

/**
 * The job that a page shows, `:jobId` of its path; one that nobody is at work on is started again.
 * @throws ServiceError NOT_FOUND, also for another partner's
 */
export async function readJob<Kind extends JobKind>(
  deps: PortalDeps,
  ctx: PageContext<'partner'>,
  kind: Kind,
): Promise<Extract<JobDoc, { kind: Kind }>> {
  const job = await findJob(deps.models, ownScope(ctx), param(ctx, 'jobId'));
  if (job?.kind !== kind) throw nothingHere();
  // The page does not wait for it.
  if (isStalled(job, deps.now())) void startWork(deps, job);
  return job as Extract<JobDoc, { kind: Kind }>;
}

/** The newest jobs of a kind, of the partner that is signed in. */
export const readJobs = <Kind extends JobKind>(
  { models }: Pick<PortalDeps, 'models'>,
  partnerId: PartnerScope,
  kind: Kind,
  limit: number,
  mode?: Mode,
): Promise<Extract<JobDoc, { kind: Kind }>[]> => findJobs(models, partnerId, kind, limit, mode);
