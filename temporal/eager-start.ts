import type { Client } from '@temporalio/client';
import { purchaseWorkflow } from '../domain/workflow-names.ts';
import { continueTrace } from '../platform/tracing.ts';
import { type PurchaseWorkflowRef, purchaseStartOptions } from './purchase-start.ts';

/** After this, a start is abandoned; the purchase stays pending and is started again. */
const startPatienceMs = 5_000;

export type EagerStart = ReturnType<typeof createEagerStart>;

/**
 * Starts a purchase's workflow, unless it is running, and requests that a worker of this process
 * execute its first task, which saves the server a dispatch.
 * @param client on that worker's own connection, as eager start requires
 */
export function createEagerStart(client: Client, taskQueue: string) {
  /**
   * @param mayBeEager whether to request an eager start
   * @returns whether it was granted, which depends on the server and on free slots of the worker
   */
  return async (purchase: PurchaseWorkflowRef, mayBeEager: boolean): Promise<boolean> => {
    const { eagerlyStarted } = await continueTrace(purchase.traceparent, () =>
      client.withDeadline(Date.now() + startPatienceMs, () =>
        client.workflow.start(purchaseWorkflow.type, {
          ...purchaseStartOptions(purchase, taskQueue),
          requestEagerStart: mayBeEager,
        }),
      ),
    );
    return eagerlyStarted;
  };
}
