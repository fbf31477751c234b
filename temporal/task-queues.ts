import type { Client } from '@temporalio/client';

/** A poll lasts a minute at most; a worker not seen for longer is gone. */
const pollAgeMs = 70_000;
/** Temporal's numbers for the two kinds of task. */
const workflowTasks = 1;
const activityTasks = 2;

/**
 * Who has polled the queue for workflow tasks lately.
 * @returns the workers' names, `<process id>@<host>`
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

/** How many activities no worker has taken up yet, as the server estimates; not those between two tries. */
export async function activityBacklogOf(client: Client, taskQueue: string): Promise<number> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: activityTasks,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}
