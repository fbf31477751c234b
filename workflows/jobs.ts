import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { JobRef } from '../domain/job.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'jobs'),
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '1 minute',
    // Retries end by themselves: a job that is not finished within a day is dropped, and then there
    // is nothing to do.
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    summary: 'run the job',
  });

/** Runs one background job of a partner. */
export async function backgroundJob(job: JobRef): Promise<void> {
  await activities().runJob(job);
}
