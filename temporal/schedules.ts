import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';

/** The schedules of the service. */
const schedules = [
  { name: 'audit', workflowType: 'auditLedger', every: '1 day' },
  { name: 'tree-head', workflowType: 'signTreeHead', every: '1 day' },
  { name: 'retention', workflowType: 'forget', every: '1 day' },
  { name: 'billing', workflowType: 'closeBillingPeriods', every: '1 hour' },
  { name: 'reconciliation', workflowType: 'reconcileWorkflows', every: '1 hour' },
  // Each shop once a day, and one that was just connected within the hour.
  { name: 'shops', workflowType: 'repairShops', every: '1 hour' },
  { name: 'points-end', workflowType: 'endPoints', every: '1 hour' },
] as const;

/**
 * Runs missed for longer than this are not made up for one by one: the next run does their work.
 */
const catchupWindow = '7 days';

/** Each task queue has its own schedules, so that two services can share a namespace. */
export function scheduleIdOf(name: string, taskQueue: string): string {
  return `${name}/${taskQueue}`;
}

/**
 * Creates or updates the schedules of the service; safe to repeat, also concurrently. A new
 * reconciliation schedule runs at once: if it was missing, Temporal is new or has lost its data.
 */
export async function ensureSchedules(client: Client, taskQueue: string): Promise<void> {
  for (const { name, workflowType, every } of schedules) {
    const scheduleId = scheduleIdOf(name, taskQueue);
    const options = {
      spec: { intervals: [{ every }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
      action: { type: 'startWorkflow', workflowType, taskQueue, workflowId: scheduleId, args: [] },
    } satisfies Omit<ScheduleOptions, 'scheduleId'>;
    try {
      const state = { triggerImmediately: name === 'reconciliation' };
      await client.schedule.create({ scheduleId, ...options, state });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await client.schedule.getHandle(scheduleId).update((before) => ({ ...before, ...options }));
    }
  }
}

/** Whether Temporal has all schedules of the service; false without its namespace. */
export async function hasSchedules(client: Client, taskQueue: string): Promise<boolean> {
  const known = await Promise.all(
    schedules.map(({ name }) =>
      client.schedule
        .getHandle(scheduleIdOf(name, taskQueue))
        .describe()
        .then(
          () => true,
          (error: unknown) => {
            if (error instanceof ScheduleNotFoundError) return false;
            if (error instanceof NamespaceNotFoundError) return false;
            throw error;
          },
        ),
    ),
  );
  return !known.includes(false);
}
