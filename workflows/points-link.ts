import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { PointsLinkRequest } from '../domain/customer.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    // By then the customer has requested another.
    scheduleToCloseTimeout: '1 hour',
    retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
    summary: 'send a customer the link to their points',
  });

/** Sends a customer the link to their points. */
export async function pointsLink(request: PointsLinkRequest): Promise<void> {
  await mails().sendPointsLink(request);
}
