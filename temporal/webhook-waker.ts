import type { Client } from '@temporalio/client';
import {
  type WebhookEndpointRef,
  webhookWorkflow,
  webhookWorkflowId,
} from '../domain/workflow-names.ts';

/** What takes longer is given up; what is due stays due, and is found again. */
const patienceMs = 5_000;

/** Has an endpoint's workflow deliver what is due, and starts it where it does not run. */
export type WakeWebhookEndpoint = (endpoint: WebhookEndpointRef) => Promise<void>;

export function createWebhookWaker(client: Client, taskQueue: string): WakeWebhookEndpoint {
  return async (endpoint) => {
    await client.withDeadline(Date.now() + patienceMs, () =>
      client.workflow.signalWithStart(webhookWorkflow.type, {
        workflowId: webhookWorkflowId(endpoint.endpointId),
        taskQueue,
        args: [endpoint],
        signal: webhookWorkflow.woken,
        staticSummary: `webhooks of ${endpoint.partnerId}`,
      }),
    );
  };
}
