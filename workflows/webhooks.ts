import {
  condition,
  continueAsNew,
  defineSignal,
  log,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { EndpointNotice } from '../activities/webhooks.ts';
import {
  type SlowWork,
  slowQueueOf,
  type WebhookEndpointRef,
  webhookWorkflow,
} from '../domain/workflow-names.ts';

const woken = defineSignal(webhookWorkflow.woken);

const on = (work: SlowWork) => ({ taskQueue: slowQueueOf(workflowInfo().taskQueue, work) });

const endpoint = () =>
  proxyActivities<Activities>({
    ...on('webhooks'),
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout: '30 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    summary: 'send the due webhooks',
  });

const mails = () =>
  proxyActivities<Activities>({
    ...on('mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '1 hour',
    retry: { initialInterval: '1 second', maximumInterval: '10 minutes' },
    summary: 'notify the partner about the endpoint',
  });

/**
 * Delivers to one webhook endpoint as long as deliveries are pending. They are stored in MongoDB; a
 * signal only says that one is due. Each endpoint has its own workflow, so that one that hangs
 * holds up no other, and a retry that is due later holds up no event that is due now.
 */
export async function webhookEndpoint(ref: WebhookEndpointRef): Promise<void> {
  let isWoken = true;
  setHandler(woken, () => {
    isWoken = true;
  });
  let notifying: Promise<void> | undefined;
  for (;;) {
    isWoken = false;
    const { nextDueAt, news } = await endpoint().deliverWebhooks(ref);
    if (news !== null) {
      await notifying;
      notifying = notifyPartner(ref, news);
    }
    if (isWoken && !workflowInfo().continueAsNewSuggested) continue;
    if (nextDueAt === null && !isWoken) {
      await notifying;
      if (!isWoken) return;
    }
    if (workflowInfo().continueAsNewSuggested) {
      await notifying;
      await continueAsNew<typeof webhookEndpoint>(ref);
    }
    const waitMs = Date.parse(nextDueAt ?? '') - Date.now();
    if (waitMs > 0) await condition(() => isWoken, waitMs);
  }
}

/** A partner that cannot be notified now is notified after a later failure. */
async function notifyPartner(ref: WebhookEndpointRef, news: EndpointNotice): Promise<void> {
  try {
    await mails().mailEndpointNews(ref, news);
  } catch (error) {
    log.warn('the partner could not be notified about the endpoint', {
      reason: error instanceof Error ? (error.cause ?? error) : error,
    });
  }
}
