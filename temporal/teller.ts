import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { OutboxRow } from '../domain/outbox.ts';
import { purchaseWorkflow } from '../domain/workflow-names.ts';
import { continueTrace } from '../platform/tracing.ts';
import type { Messenger } from './messenger.ts';
import { eventOfMemo, purchaseStartOptions, workflowRefOfRow } from './purchase-start.ts';
import { startOfRedemption } from './redemption-start.ts';

/** After this, an attempt is given up; the row stays, so that it is made again. */
const patienceMs = 5_000;

/** Tells workflows what the outbox says. Every call may be repeated. */
export type Teller = ReturnType<typeof createTeller>;

/** @param client on the connection of a worker of this process, if starts are to be eager */
export function createTeller(
  client: Client,
  taskQueue: string,
  messenger: Pick<Messenger, 'signalPurchase' | 'completeReview'>,
) {
  return { deliver, isAhead, isReachable };

  /**
   * Starts or signals the workflow of a row.
   * @param mayBeEager whether a worker of this process may execute the first task
   */
  async function deliver(
    row: OutboxRow,
    { mayBeEager = false, isNew = false } = {},
  ): Promise<void> {
    if (row.kind === 'HOLD' || row.kind === 'TELL') {
      await client.withDeadline(Date.now() + patienceMs, () =>
        startOfRedemption(client, taskQueue, row),
      );
      return;
    }
    const purchase = workflowRefOfRow(row);
    if (row.kind === 'START') {
      const options = purchaseStartOptions(purchase, taskQueue);
      await continueTrace(purchase.traceparent, () =>
        client.withDeadline(Date.now() + patienceMs, () =>
          client.workflow.start(purchaseWorkflow.type, {
            ...options,
            ...(isNew && { workflowIdConflictPolicy: 'TERMINATE_EXISTING' as const }),
            requestEagerStart: mayBeEager,
          }),
        ),
      );
      return;
    }
    const { reviewId, signal } = row;
    if (signal === null) return;
    if (signal === 'decided' && reviewId !== null) {
      // Completing the activity wakes the workflow as a signal does.
      if (await messenger.completeReview(purchase.workflowId, reviewId)) return;
    }
    await messenger.signalPurchase(purchase, signal);
  }

  /**
   * Whether the workflow that has a purchase's id knows what the database does not, because MongoDB was
   * restored to before it: it runs for an event that is gone, or waits although the purchase has not started.
   */
  async function isAhead({ workflow }: OutboxRow): Promise<boolean> {
    if (workflow === null) return false;
    try {
      const { memo, status, raw } = await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.getHandle(workflow.workflowId).describe(),
      );
      const eventId = eventOfMemo(memo);
      if (eventId !== undefined && eventId !== workflow.purchaseEventId) return true;
      // While it begins, it has a task.
      return status.name === 'RUNNING' && !raw.pendingWorkflowTask;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Whether Temporal answers and knows the namespace. */
  async function isReachable(): Promise<boolean> {
    const { namespace } = client.options;
    try {
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflowService.describeNamespace({ namespace }),
      );
      return true;
    } catch {
      return false;
    }
  }
}

/** The most deliveries of one process that answers requests. */
const maxInFlight = 8;

/**
 * Delivers rows right after the commit that wrote them, from a process that answers requests: a few at a
 * time, and never in an answer's way. What it leaves or fails to deliver, a relay takes.
 */
export function tellAtOnce({ deliver }: Pick<Teller, 'deliver'>) {
  let inFlight = 0;
  return (rows: readonly OutboxRow[]): void => {
    for (const row of rows) {
      if (row.kind === 'FUND' || inFlight >= maxInFlight) continue;
      inFlight += 1;
      setImmediate(() => {
        deliver(row)
          .catch(() => undefined)
          .finally(() => {
            inFlight -= 1;
          });
      });
    }
  };
}
