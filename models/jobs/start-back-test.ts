import type { EarningRule } from '../../domain/earning-rules.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { BackTestJob } from '../schemas/job.ts';
import { enqueueJob, type JobOwner, openForMs } from './start-job.ts';

/** How far back purchases are replayed. */
export const backTestDays = 90;

/**
 * Puts a back-test in the queue: what the purchases of the last 90 days would have earned and cost under a
 * version of a rule that is not the active one.
 * @param rule a stored one; its mode is that of the purchases, which may be another than its own
 * @throws ServiceError CONFLICT while a back-test is open
 */
export async function startBackTest(
  { models, now }: { models: Models; now: () => number },
  { partnerId, requestedBy }: JobOwner,
  rule: EarningRule,
): Promise<BackTestJob> {
  const nowMs = now();
  const job: BackTestJob = {
    _id: newId('job'),
    partnerId,
    mode: rule.mode,
    kind: 'BACK_TEST',
    status: 'QUEUED',
    isOpen: true,
    input: { rule, from: new Date(nowMs - backTestDays * dayMs), to: new Date(nowMs) },
    progress: { done: 0, total: backTestDays, of: 'DAYS' },
    result: null,
    problem: null,
    requestedBy,
    createdAt: new Date(nowMs),
    toldAt: new Date(nowMs),
    expiresAt: new Date(nowMs + openForMs),
  };
  await enqueueJob(models, job);
  return job;
}
