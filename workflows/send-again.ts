import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { type SendAgainRequest, slowQueueOf } from '../domain/workflow-names.ts';

const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    // Whoever asked for it is told that it is being sent, and sees by then whether it was.
    scheduleToCloseTimeout: '1 hour',
    retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
    summary: 'send the claim link again',
  });

/** Sends the claim link of a reward again. */
export async function sendAgain(request: SendAgainRequest): Promise<void> {
  await mails().sendClaimLinkAgain(request);
}
