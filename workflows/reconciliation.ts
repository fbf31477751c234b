import { log, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = (summary: string) =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'reconciliation'),
    startToCloseTimeout: '1 day',
    heartbeatTimeout: '2 minutes',
    retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes' },
    summary,
  });

/**
 * One reconciliation run, started by its schedule (docs/concepts/how-it-works.md, Recovery).
 * @returns the result, for operators who read the list of workflows
 */
export async function reconcileWorkflows(): Promise<string> {
  const { reconciliationParts, reconcile, recordReconciliation } = activities(
    'restart the workflows of open rewards that are not running',
  );
  const startedAt = new Date(Date.now()).toISOString();
  const parts = await reconciliationParts();
  // Each worker takes a few at a time, so that more workers are done sooner.
  const found = await Promise.all(parts.map((part) => reconcile(part)));
  const { summary, startedAgain, failed } = await recordReconciliation(startedAt, found);
  await activities('end holds that nothing ended in time').endOverdueHolds();
  await activities('log accepted requests that a killed process left out').completeRequestLog();
  setCurrentDetails(summary);
  if (startedAgain + failed > 0) log.warn('workflows were lost', { startedAgain, failed });
  return summary;
}
