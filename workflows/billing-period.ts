import { log, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const activities = (summary: string) =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'billing'),
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '1 minute',
    retry: { initialInterval: '5 seconds', maximumInterval: '10 minutes' },
    summary,
  });

/**
 * One billing run, started by its schedule (docs/concepts/billing.md). It bills
 * every period that is over by then, reminds of invoices that are overdue, and announces what else time brings, so that the next run
 * makes up for one that was late or missed.
 */
export async function closeBillingPeriods(): Promise<void> {
  const at = new Date(Date.now()).toISOString();
  const billing = activities('close and bill every period that is over');
  const { closedPeriods } = await billing.closeDuePeriods(at);
  const reminders = await activities('remind of overdue invoices').remindOfInvoices(at);
  setCurrentDetails(`${closedPeriods} periods closed, ${reminders} reminders.`);
  log.info('billing round', { closedPeriods, reminders });
}
