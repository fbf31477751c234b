import type { EarningRule } from '../../domain/earning-rules.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { BackTestJob } from '../schemas/jobs.ts';
import { enqueueJob, type JobOwner, newJobOf } from './start-job.ts';

export const backTestDays = 90;

/**
 * Queues a back-test: what the purchases of the last 90 days would have earned and cost under a
 * version of a rule that is not active.
 * @param rule a stored version; its mode is that of the purchases, which may differ from its own
 * @throws ServiceError CONFLICT while a back-test is open
 */
export async function startBackTest(
  { models, now }: { models: Models; now: () => number },
  owner: JobOwner,
  rule: EarningRule,
): Promise<BackTestJob> {
  const to = new Date(now());
  const job: BackTestJob = {
    ...newJobOf(owner, to),
    _id: newId('job'),
    kind: 'BACK_TEST',
    mode: rule.mode,
    input: { rule, from: new Date(to.getTime() - backTestDays * dayMs), to },
    progress: { done: 0, total: backTestDays, of: 'DAYS' },
  };
  await enqueueJob(models, job);
  return job;
}
