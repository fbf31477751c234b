import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { JobRef } from '../domain/job.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'jobs'),
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '1 minute',
    // It ends by itself: a job that is not over in a day is dropped, and then there is nothing to do.
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    summary: 'do what the partner asked for',
  });

/** Does one job of a partner in the background. */
export async function backgroundJob(job: JobRef): Promise<void> {
  await activities().runJob(job);
}
