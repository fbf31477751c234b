import type { JobDoc } from '../../models/schemas/jobs.ts';
import type { OperationDeps } from '../deps.ts';

/** Starts the work on a queued job. If Temporal is unavailable, the next view of the job starts it. */
export async function startJobWork(
  { messenger, log }: Pick<OperationDeps, 'messenger' | 'log'>,
  { partnerId, _id: jobId }: JobDoc,
): Promise<void> {
  await messenger
    .startJob({ partnerId, jobId })
    .catch((error: unknown) => log.warn({ err: error, jobId }, 'a job was not started'));
}
