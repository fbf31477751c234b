import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { DueEvent } from '../domain/due-documents.ts';
import type { Mode } from '../domain/mode.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import { initialState, type RewardState, statusOf } from '../domain/reward.ts';
import { orderNameOf, searchAttributes } from '../domain/workflow-names.ts';

/** What identifies a purchase's workflow, and what operators see of it before opening it. */
export interface PurchaseWorkflowRef extends PurchaseRef {
  workflowId: string;
  mode: Mode;
  externalOrderId: string;
  rewardId: string;
  /** The W3C `traceparent` of the request it follows from. */
  traceparent?: string;
  /** As far as known; absent if the reward does not exist yet. */
  state?: RewardState;
}

/** The fields of a stored document that identify its purchase's workflow. */
type WorkflowFields = Omit<PurchaseWorkflowRef, 'rewardId' | 'state' | 'traceparent'>;

const workflowFields = ({
  partnerId,
  purchaseEventId,
  workflowId,
  mode,
  externalOrderId,
}: WorkflowFields): WorkflowFields => ({
  partnerId,
  purchaseEventId,
  workflowId,
  mode,
  externalOrderId,
});

export function workflowRefOfReward(
  reward: WorkflowFields & { _id: string; state: RewardState },
): PurchaseWorkflowRef {
  return { ...workflowFields(reward), rewardId: reward._id, state: reward.state };
}

/** Of a purchase that has not begun. */
export function workflowRefOfEvent(event: DueEvent): PurchaseWorkflowRef {
  const { _id: purchaseEventId, rewardId, traceparent } = event;
  const traced = traceparent === undefined ? {} : { traceparent };
  return { ...workflowFields({ ...event, purchaseEventId }), rewardId, ...traced };
}

/** The event that a workflow was started for, from its memo; undefined without one. */
export const eventOfMemo = (memo: Record<string, unknown> | undefined): string | undefined =>
  typeof memo?.purchaseEventId === 'string' ? memo.purchaseEventId : undefined;

/** A search attribute that is found by its exact value. */
export const keyword = (name: string) =>
  defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/**
 * After this long, Temporal gives a task to another worker. The first tasks of purchases that a
 * killed worker had started eagerly wait for it.
 */
const taskTimeout = '10 seconds';

/** Temporal allows 400 bytes of summary; an order id may have 160 characters of four bytes. */
const maxSummaryOrderChars = 60;

/**
 * The options with which a purchase's workflow is started, whether for the first time or again: its
 * input is a reference, so that there is no difference (docs/concepts/how-it-works.md, Purchases).
 */
export function purchaseStartOptions(workflow: PurchaseWorkflowRef, taskQueue: string) {
  const { workflowId, partnerId, purchaseEventId, mode, rewardId } = workflow;
  const order = orderNameOf(workflow);
  const ref: PurchaseRef = { partnerId, purchaseEventId };
  return {
    workflowId,
    taskQueue,
    args: [ref] as [PurchaseRef],
    memo: { purchaseEventId },
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowTaskTimeout: taskTimeout,
    // So that one partner's burst does not hold up the purchases of others.
    priority: { fairnessKey: partnerId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: keyword(searchAttributes.partnerId), value: partnerId },
      { key: keyword(searchAttributes.mode), value: mode },
      { key: keyword(searchAttributes.externalOrderId), value: order },
      { key: keyword(searchAttributes.rewardId), value: rewardId },
      {
        key: keyword(searchAttributes.rewardStatus),
        value: statusOf(workflow.state ?? initialState),
      },
    ]),
    staticSummary: `${mode} order ${shortened(order)}`,
    staticDetails: `Reward ${rewardId} of partner ${partnerId}, ${mode}.`,
  };
}

function shortened(order: string): string {
  return order.length > maxSummaryOrderChars
    ? `${[...order].slice(0, maxSummaryOrderChars).join('')}…`
    : order;
}
