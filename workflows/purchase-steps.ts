import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { mailPatienceMs } from '../domain/messages.ts';
import type { ReviewRef } from '../domain/review.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';

/**
 * Local activities, executed within the workflow task and retried for as long as it takes. The
 * summary is what operators read in the history. A failed attempt is retried after a workflow
 * timer, so that it does not hold up a worker. The SDK's own retries within a task are turned off:
 * it forgets the timeout of every failed attempt, and a timeout that outlives the worker makes it
 * panic (local_activities.rs, "receive half not dropped").
 */
export const localStep = (summary: string) =>
  proxyLocalActivities<Activities>({
    startToCloseTimeout: '20 seconds',
    localRetryThreshold: '1 millisecond',
    retry: { initialInterval: '50 milliseconds', maximumInterval: '5 seconds' },
    summary,
  });

/**
 * For concurrent work, which must not use local activities: they would become part of a series of
 * steps.
 */
export const besideSteps = (summary: string) =>
  proxyActivities<Activities>({
    startToCloseTimeout: '10 seconds',
    retry: { initialInterval: '50 milliseconds', maximumInterval: '5 seconds' },
    summary,
  });

/** Messages are retried patiently, on a queue where nothing else waits for them. */
export const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: mailPatienceMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 hour' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary: 'send a message',
  });

/**
 * The decision of an operator, as an activity that is completed from outside. Each timeout puts the
 * review to the operators again.
 */
export const operators = ({ reviewId, dueMs }: ReviewRef) =>
  proxyActivities<Activities>({
    activityId: reviewId,
    startToCloseTimeout: dueMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary: 'an operator decides about the refund',
  });
