import { ActivityNotFoundError, type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { DueDocument, DueEvent } from '../domain/due-documents.ts';
import type { Redemption, RedemptionRef } from '../domain/redemption.ts';
import type { Reward } from '../domain/reward.ts';
import {
  holdWorkflow,
  holdWorkflowId,
  purchaseWorkflow,
  searchAttributes,
  type WebhookEndpointRef,
  webhookWorkflow,
  webhookWorkflowId,
} from '../domain/workflow-names.ts';
import { continueTrace } from '../platform/tracing.ts';
import {
  eventOfMemo,
  keyword,
  purchaseStartOptions,
  workflowRefOfEvent,
  workflowRefOfReward,
} from './purchase-start.ts';

/** After this, an attempt is given up; what is due stays so, and is told again. */
const patienceMs = 5_000;

export type Teller = ReturnType<typeof createTeller>;

/**
 * How each kind of what is due is told to Temporal. Every call may be repeated: what is told twice, or to a
 * workflow that has nothing to do, does no harm.
 * @param client on the connection of a worker of this process, if starts are to be eager
 */
export function createTeller(client: Client, taskQueue: string) {
  const patiently = <Result>(call: () => Promise<Result>): Promise<Result> =>
    client.withDeadline(Date.now() + patienceMs, call);
  return { tell, wakeEndpoint, isAhead, isReachable };

  /**
   * Starts or wakes the workflow that acts on what is due, if it is one.
   * @param mayBeEager whether a worker of this process may execute the first task
   * @param isNew whether a workflow that runs is ended first
   */
  async function tell(
    { of, document }: DueDocument,
    { mayBeEager = false, isNew = false } = {},
  ): Promise<void> {
    if (of === 'orderEvents') await startPurchase(document, { mayBeEager, isNew });
    if (of === 'rewards') await wakePurchase(document);
    if (of === 'redemptions' && document.due?.what === 'HOLD') await startHold(document);
  }

  async function startPurchase(
    event: DueEvent,
    { mayBeEager, isNew }: { mayBeEager: boolean; isNew: boolean },
  ): Promise<void> {
    const purchase = workflowRefOfEvent(event);
    await continueTrace(purchase.traceparent, () =>
      patiently(() =>
        client.workflow.start(purchaseWorkflow.type, {
          ...purchaseStartOptions(purchase, taskQueue),
          ...(isNew && { workflowIdConflictPolicy: 'TERMINATE_EXISTING' as const }),
          requestEagerStart: mayBeEager,
        }),
      ),
    );
  }

  /** Wakes a reward's workflow, starting it if it is not running. */
  async function wakePurchase(reward: Reward): Promise<void> {
    const { due, moves, workflowId } = reward;
    if (due === null) return;
    const { reviewId, traceparent } = moves.at(-1) ?? {};
    if (due.what === 'decided' && reviewId !== undefined) {
      // Completing the activity wakes the workflow as a signal does.
      if (await completeReview(workflowId, reviewId)) return;
    }
    await continueTrace(traceparent, () =>
      patiently(() =>
        client.workflow.signalWithStart(purchaseWorkflow.type, {
          ...purchaseStartOptions(workflowRefOfReward(reward), taskQueue),
          signal: due.what,
          signalArgs: [],
        }),
      ),
    );
  }

  /**
   * Completes the activity that waits for operators to decide a review.
   * @returns false if there is no such activity: the review is over, or is being put to them again
   */
  async function completeReview(workflowId: string, reviewId: string): Promise<boolean> {
    try {
      await patiently(() =>
        client.activity.complete({ workflowId, activityId: reviewId }, undefined),
      );
      return true;
    } catch (error) {
      if (error instanceof ActivityNotFoundError) return false;
      throw error;
    }
  }

  /** Starts a hold's workflow, also one that has ended without noting that it ran. */
  async function startHold({ _id: redemptionId, partnerId, mode }: Redemption): Promise<void> {
    const ref: RedemptionRef = { partnerId, redemptionId };
    await patiently(() =>
      client.workflow.start(holdWorkflow.type, {
        workflowId: holdWorkflowId(redemptionId),
        taskQueue,
        args: [ref],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        priority: { fairnessKey: partnerId },
        typedSearchAttributes: new TypedSearchAttributes([
          { key: keyword(searchAttributes.partnerId), value: partnerId },
          { key: keyword(searchAttributes.mode), value: mode },
        ]),
        staticSummary: `${mode} hold of points, ${redemptionId}`,
      }),
    );
  }

  /** Has an endpoint's workflow make the deliveries that are due, starting it if it is not running. */
  async function wakeEndpoint(endpoint: WebhookEndpointRef): Promise<void> {
    await patiently(() =>
      client.workflow.signalWithStart(webhookWorkflow.type, {
        workflowId: webhookWorkflowId(endpoint.endpointId),
        taskQueue,
        args: [endpoint],
        signal: webhookWorkflow.woken,
        staticSummary: `webhooks of ${endpoint.partnerId}`,
      }),
    );
  }

  /**
   * Whether the workflow that has a purchase's id knows what the database does not, because MongoDB was
   * restored to before it: it runs for an event that is gone, or has begun what has not begun.
   */
  async function isAhead({ workflowId, _id: eventId }: DueEvent): Promise<boolean> {
    const handle = client.workflow.getHandle(workflowId);
    try {
      const { memo, status } = await patiently(() => handle.describe());
      if (status.name !== 'RUNNING') return false;
      if ((eventOfMemo(memo) ?? eventId) !== eventId) return true;
      const { events } = await patiently(() => handle.fetchHistory());
      return (events ?? []).some(({ markerRecordedEventAttributes: marker }) => {
        // One that failed waits for its retry.
        return marker?.markerName === 'core_local_activity' && !marker.failure;
      });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Whether Temporal answers and knows the namespace. */
  async function isReachable(): Promise<boolean> {
    const { namespace } = client.options;
    try {
      await patiently(() => client.workflowService.describeNamespace({ namespace }));
      return true;
    } catch {
      return false;
    }
  }
}

/** The codes of gRPC with which Temporal refuses this very call; all others are its own trouble. */
const refusals: readonly unknown[] = [
  3, // INVALID_ARGUMENT
  6, // ALREADY_EXISTS
  9, // FAILED_PRECONDITION
  11, // OUT_OF_RANGE
];

/** What the worker's connection throws without having an answer. */
const unanswered: readonly string[] = [
  'IllegalStateError',
  'ShutdownError',
  'TransportError',
  'UnexpectedError',
];

/** Whether an error says nothing about what was told, but that Temporal is away, busy, or without its namespace. */
export function isTrouble(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'NamespaceNotFoundError' || unanswered.includes(cause.name)) return true;
    const { code } = cause as { code?: unknown };
    if (typeof code === 'number') return !refusals.includes(code);
  }
  return false;
}

/** The most that one process which answers requests tells at a time. */
const maxInFlight = 8;

/**
 * Tells what is due right after the commit that wrote it, from a process that answers requests: a few at a
 * time, and never in an answer's way. What it leaves or fails to tell, a relay does.
 */
export function tellAtOnce({ tell }: Pick<Teller, 'tell'>) {
  let inFlight = 0;
  return (due: readonly DueDocument[]): void => {
    for (const one of due) {
      if (inFlight >= maxInFlight) return;
      inFlight += 1;
      setImmediate(() => {
        tell(one)
          .catch(() => undefined)
          .finally(() => {
            inFlight -= 1;
          });
      });
    }
  };
}
