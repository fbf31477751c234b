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
 * Local activities, executed within the workflow task and retried for as long as it takes, less and less often: those
 * of one partner that keep failing cost others little. The summary is what operators read in the history. A failed attempt is retried after a workflow timer, so that it does
 * not hold up a worker. The SDK's own retries within a task are turned off: it forgets the timeout of
 * every failed attempt, and a timeout that outlives the worker makes it panic (local_activities.rs,
 * "receive half not dropped").
 */
export const step = (summary: string) =>
  proxyLocalActivities<Activities>({
    startToCloseTimeout: '20 seconds',
    localRetryThreshold: '1 millisecond',
    retry: { initialInterval: '50 milliseconds', maximumInterval: '2 minutes' },
    summary,
  });

/**
 * Messages are retried for days, on a queue where nothing else waits for them. An activity that gives up
 * records that itself, so that nothing follows it here.
 */
export const messages = (summary: string) =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '1 second', maximumInterval: '1 hour' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary,
  });

/** Messages that somebody waits for, and asks for again after an hour. */
export const awaitedMessages = (summary: string) =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '1 hour',
    retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
    summary,
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
