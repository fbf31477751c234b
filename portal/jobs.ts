import { findJob, isStalled } from '../models/jobs/index.ts';
import type { JobDoc, JobKind } from '../models/schemas/job.ts';
import type { PageContext } from './context.ts';
import { param } from './context.ts';
import type { PortalDeps } from './deps.ts';
import { nothingHere } from './middleware/well-formed.ts';

/** Starts the work on a job that was put in line. Where Temporal is away, `readJob` does it later. */
export async function startWork(
  { messenger, log }: PortalDeps,
  { partnerId, _id: jobId }: JobDoc,
): Promise<void> {
  await messenger
    .startJob({ partnerId, jobId })
    .catch((error: unknown) => log.warn({ err: error, jobId }, 'a job was not started'));
}

/**
 * The job that a page shows, `:jobId` of its path; one that nobody is at work on is started again.
 * @throws ServiceError NOT_FOUND, also for another partner's
 */
export async function readJob<Kind extends JobKind>(
  deps: PortalDeps,
  ctx: PageContext<'partner'>,
  kind: Kind,
): Promise<Extract<JobDoc, { kind: Kind }>> {
  const job = await findJob(deps.models, ctx.state.viewer.partner._id, param(ctx, 'jobId'));
  if (job?.kind !== kind) throw nothingHere();
  // The page does not wait for it.
  if (isStalled(job, deps.now())) void startWork(deps, job);
  return job as Extract<JobDoc, { kind: Kind }>;
}
