import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'audit'),
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '2 minutes',
    retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
    summary: 'append new entries to the log of receipts, and sign its head',
  });

/**
 * Signs the day's tree head, started by its schedule (docs/integrate/receipts.md).
 * @returns what it covers, for operators who read the list of workflows
 */
export async function signTreeHead(): Promise<string> {
  const size = await activities().signLedger(new Date(Date.now()).toISOString());
  const summary = `${size} entries are under a signed tree head`;
  setCurrentDetails(summary);
  return summary;
}
