import { log, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'audit'),
    startToCloseTimeout: '12 hours',
    heartbeatTimeout: '2 minutes',
    retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
    summary: 'audit the ledgers of all partners',
  });

/**
 * One audit, started by its schedule (docs/concepts/money.md).
 * @returns the result, for operators who read the list of workflows
 */
export async function auditLedger(): Promise<string> {
  const { summary, faults } = await activities().runAudit();
  setCurrentDetails(summary);
  if (faults > 0) log.error('the audit found faults', { faults, summary });
  return summary;
}
