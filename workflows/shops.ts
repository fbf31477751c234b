import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'reconciliation'),
    startToCloseTimeout: '1 day',
    heartbeatTimeout: '5 minutes',
    retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes' },
    summary: 'ask shops for what no delivery reported',
  });

/**
 * Asks the shops that are due what was bought and refunded; started by its schedule
 * (docs/integrate/shopify.md, Lost deliveries).
 * @returns the result, for operators who read the list of workflows
 */
export async function repairShops(): Promise<string> {
  const { shops, asked, missing, reported, failed } = await activities().askShops();
  const summary = `${shops} shops asked for ${asked} orders: ${missing} missing, ${reported} of them reported; ${failed} shops not asked completely`;
  setCurrentDetails(summary);
  return summary;
}
