import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { ReviewRef } from '../domain/review.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

/**
 * Steps that are done within the workflow's own task, under the words that an operator reads in the
 * history, and for as long as it takes. Whatever fails is tried again after a timer of the workflow, so
 * that no worker is held up by it. The SDK's own tries within a task are turned off: it forgets the
 * timeout of each try that failed, and one that outlives the worker panics (local_activities.rs,
 * "receive half not dropped").
 */
export const localStep = (summary: string) =>
  proxyLocalActivities<Activities>({
    startToCloseTimeout: '10 seconds',
    localRetryThreshold: '1 millisecond',
    retry: { initialInterval: '50 milliseconds', maximumInterval: '5 seconds' },
    summary,
  });

/** Tried once, and not for long: a mail server that is slow or away costs nothing here. */
export const { tryClaimLink } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '2 seconds',
  retry: { maximumAttempts: 1 },
  summary: 'send the claim link, if the mail server takes it at once',
});

/** What goes on beside the steps asks for no local activity: a series of those would not be one any more. */
export const besideSteps = (summary: string) =>
  proxyActivities<Activities>({
    startToCloseTimeout: '10 seconds',
    retry: { initialInterval: '50 milliseconds', maximumInterval: '5 seconds' },
    summary,
  });

/** How long it is tried to send a mail: what is older was sent, or cannot be. */
export const mailPatienceMs = 3 * 86_400_000;

/** Mails have patience, and a queue on which nothing else waits for them. */
export const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: mailPatienceMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 hour' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary: 'send a message',
  });

/** The operators, as an activity that one of them completes; each time it comes due it is put before them anew. */
export const operators = ({ reviewId, dueMs }: ReviewRef) =>
  proxyActivities<Activities>({
    activityId: reviewId,
    startToCloseTimeout: dueMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary: 'an operator decides about the refund',
  });
