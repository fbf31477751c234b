import type { Client } from '@temporalio/client';

/** A poll lasts at most a minute: a worker that has not polled for longer is gone. */
const pollAgeMs = 70_000;
/** Temporal's numbers for the two types of task queue. */
const workflowTasks = 1;
const activityTasks = 2;

/**
 * The workers that have recently polled the queue for workflow tasks.
 * @returns their identities, `<process id>@<host>`
 */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  nowMs: number,
): Promise<string[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: workflowTasks,
  });
  return (pollers ?? [])
    .filter(({ lastAccessTime }) => nowMs - Number(lastAccessTime?.seconds ?? 0) * 1000 < pollAgeMs)
    .map(({ identity }) => identity ?? '');
}

/**
 * The server's estimate of how many activities no worker has picked up yet, excluding those that
 * wait for a retry.
 */
export async function activityBacklogOf(client: Client, taskQueue: string): Promise<number> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: activityTasks,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}
