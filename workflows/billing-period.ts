import { log, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'billing'),
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '1 minute',
    retry: { initialInterval: '5 seconds', maximumInterval: '10 minutes' },
    summary: 'close and bill every period that is over',
  });

/**
 * One billing run, started by its schedule (docs/domain.md, Plans, usage and billing). It bills
 * every period that is over by then, so that the next run makes up for one that was late or missed.
 */
export async function closeBillingPeriods(): Promise<void> {
  const { closedPeriods } = await activities().closeDuePeriods(new Date(Date.now()).toISOString());
  setCurrentDetails(`${closedPeriods} periods closed.`);
  log.info('billing round', { closedPeriods });
}
