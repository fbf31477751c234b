import { ServiceError } from '../domain/errors.ts';
import type { JobRef } from '../domain/job.ts';
import { dayMs } from '../domain/utc-days.ts';
import type { AnyCollection, Models } from '../models/schemas/index.ts';
import type { ComparisonJob, JobDoc, JobProgress } from '../models/schemas/jobs.ts';
import { isDuplicateKey } from '../models/store/insert-once.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { comparisonAnnounced } from '../models/webhooks/announcements.ts';
import { replayPurchases } from './back-test.ts';
import { exportRecords } from './export-records.ts';
import { runComparison } from './orders.ts';
import { makeStatementPdf } from './statement-pdf.ts';

/** About as often as a page that shows the progress polls. */
const heartbeatEveryMs = 400;
/** A job without a heartbeat for this long no longer blocks others. */
const silentForMs = 60_000;
/** How long results are kept: those of comparisons for the last thirty days at a glance. */
const keptMs = 7 * dayMs;
const comparisonKeptMs = 32 * dayMs;

interface JobDeps {
  models: Models;
  now: () => number;
}

type Over = Pick<JobDoc, 'status' | 'result' | 'problem'>;

/** Another job of the partner is running: each partner uses one slot of the workers at a time. */
export class PartnerIsBusyError extends Error {
  override name = 'PartnerIsBusyError';
}

/**
 * Runs a job, storing its progress and then its result, or why it failed. A retry starts over; a
 * finished or dropped job stays as it is.
 * @param onProgress called occasionally; may throw to stop the job
 * @throws PartnerIsBusyError while another job of the partner is running; to be retried later
 */
export async function runJob(
  { models, now }: JobDeps,
  { partnerId, jobId: _id }: JobRef,
  onProgress: (progress: JobProgress) => void,
): Promise<void> {
  const jobs: AnyCollection = models.jobs.collection;
  const open = { partnerId, _id, isOpen: true } as const;
  const set = async (changes: Partial<JobDoc>) => {
    await jobs.updateOne(open, { $set: changes });
  };
  const job = await models.jobs.findOne(open);
  if (job === null) return;
  let heartbeatAtMs = now();
  const silent = { $lt: new Date(heartbeatAtMs - silentForMs) };
  await jobs.updateMany(
    { partnerId, _id: { $ne: _id }, isOpen: true, status: 'RUNNING', heartbeatAt: silent },
    { $set: { status: 'QUEUED' } },
  );
  try {
    await set({ status: 'RUNNING', heartbeatAt: new Date(heartbeatAtMs) });
  } catch (error) {
    throw isDuplicateKey(error) ? new PartnerIsBusyError() : error;
  }
  const reportProgress = async (progress: JobProgress): Promise<void> => {
    onProgress(progress);
    if (now() - heartbeatAtMs < heartbeatEveryMs && progress.done < progress.total) return;
    heartbeatAtMs = now();
    await set({ progress, heartbeatAt: new Date(heartbeatAtMs) });
  };
  const over = await outcomeOf({ models, now }, job, reportProgress);
  const finishedAt = new Date(now());
  const isComparison = job.kind === 'ORDER_COMPARISON';
  const expiresAt = new Date(finishedAt.getTime() + (isComparison ? comparisonKeptMs : keptMs));
  await models.jobRows.updateMany(
    { partnerId, jobId: _id, part: { $in: ['FAULTS', 'EXPORT'] } },
    { $set: { expiresAt } },
  );
  await announceWith(models, async (session, announce) => {
    const changes = { $set: { ...over, finishedAt, expiresAt }, $unset: { isOpen: '' } };
    const { modifiedCount } = await jobs.updateOne(open, changes, { session });
    if (modifiedCount === 0 || job.kind !== 'ORDER_COMPARISON') return;
    announce(
      comparisonAnnounced(job, over as Pick<ComparisonJob, 'status' | 'result'>, finishedAt),
    );
  });
  await models.jobRows.deleteMany({ partnerId, jobId: _id, part: 'ORDERS' });
}

/**
 * An error that a retry would not change is the job's outcome; any other is for the caller to
 * retry.
 */
async function outcomeOf(
  deps: JobDeps,
  job: JobDoc,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<Over> {
  try {
    return { status: 'DONE', result: await resultOf(deps, job, reportProgress), problem: null };
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof RangeError)) throw error;
    return { status: 'FAILED', result: null, problem: error.message };
  }
}

async function resultOf(
  deps: JobDeps,
  job: JobDoc,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<JobDoc['result']> {
  const { models } = deps;
  switch (job.kind) {
    case 'BACK_TEST':
      return await replayPurchases(models, job, reportProgress);
    case 'ORDER_COMPARISON':
      return await runComparison(models, job, reportProgress);
    case 'STATEMENT_PDF':
      return await makeStatementPdf(deps, job, reportProgress);
    case 'EXPORT':
      return await exportRecords(deps, job, reportProgress);
  }
}
