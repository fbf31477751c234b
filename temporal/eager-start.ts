import type { Client } from '@temporalio/client';
import { purchaseWorkflow } from '../domain/workflow-names.ts';
import { goOnFrom } from '../platform/tracing.ts';
import { type PurchaseHeading, purchaseStartOptions } from './purchase-start.ts';

/** A start that takes longer is given up; the purchase stays marked, and is started again. */
const startPatienceMs = 5_000;

export type EagerStart = ReturnType<typeof createEagerStart>;

/**
 * Starts a purchase's workflow, unless it runs, and lets a worker of this process take its first task
 * along: the engine need not hand it out.
 * @param client on that worker's own connection; any other cannot ask for it
 */
export function createEagerStart(client: Client, taskQueue: string) {
  /**
   * @param mayBeEager whether the task may stay here
   * @returns whether it does: the engine and a free place of the worker decide
   */
  return async (purchase: PurchaseHeading, mayBeEager: boolean): Promise<boolean> => {
    const { eagerlyStarted } = await goOnFrom(purchase.traceparent, () =>
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
