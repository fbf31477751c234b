import type { Client } from '@temporalio/client';
import {
  type WebhookEndpointRef,
  webhookWorkflow,
  webhookWorkflowId,
} from '../domain/workflow-names.ts';

/** After this, a call is abandoned; deliveries stay due and are found again. */
const patienceMs = 5_000;

/** Signals an endpoint's workflow to deliver what is due, starting it if it is not running. */
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
