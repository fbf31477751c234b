import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { Mode } from '../domain/mode.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import type { RewardStatus } from '../domain/reward-states.ts';
import { orderNameOf, searchAttributes } from '../domain/workflow-names.ts';

/** A purchase whose workflow is to run: what finds it, and what an operator sees before opening it. */
export interface PurchaseHeading extends PurchaseRef {
  workflowId: string;
  mode: Mode;
  externalOrderId: string;
  rewardId: string;
  /** The span that it follows from, in the words of W3C. */
  traceparent?: string;
  /** As far as it is known; a reward that is yet to be created is PENDING. */
  status?: RewardStatus;
}

/** What of a stored document names its purchase's workflow. */
type Named = Omit<PurchaseHeading, 'rewardId' | 'status' | 'traceparent'>;

const named = ({
  partnerId,
  purchaseEventId,
  workflowId,
  mode,
  externalOrderId,
}: Named): Named => ({
  ...{ partnerId, purchaseEventId, workflowId, mode, externalOrderId },
});

/** The purchase of a stored reward. */
export function headingOfReward(
  reward: Named & { _id: string; status: RewardStatus },
): PurchaseHeading {
  return { ...named(reward), rewardId: reward._id, status: reward.status };
}

/** The purchase of a stored order event, a purchase or a refund of it. */
export function headingOfEvent(
  event: Named & { rewardId: string; traceparent?: string },
): PurchaseHeading {
  const { rewardId, traceparent } = event;
  return { ...named(event), rewardId, ...(traceparent && { traceparent }) };
}

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/**
 * After so long the engine gives a task to another worker. A worker that is killed takes the first tasks
 * along of what it started, and this is how long those purchases then wait.
 */
const taskTimeout = '5 seconds';

/** Temporal takes 400 bytes of summary; an order id may have 160 characters of four bytes. */
const maxSummaryOrderChars = 60;

/**
 * How a purchase's workflow is started, for the first time or again: its input is a reference, so that
 * both are the same (docs/domain.md, Purchases).
 */
export function purchaseStartOptions(heading: PurchaseHeading, taskQueue: string) {
  const { workflowId, partnerId, purchaseEventId, mode, rewardId } = heading;
  const order = orderNameOf(heading);
  const ref: PurchaseRef = { partnerId, purchaseEventId };
  return {
    workflowId,
    taskQueue,
    args: [ref] as [PurchaseRef],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowTaskTimeout: taskTimeout,
    // One partner's flood does not hold the others' purchases up.
    priority: { fairnessKey: partnerId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: keyword(searchAttributes.partnerId), value: partnerId },
      { key: keyword(searchAttributes.mode), value: mode },
      { key: keyword(searchAttributes.externalOrderId), value: order },
      { key: keyword(searchAttributes.rewardId), value: rewardId },
      { key: keyword(searchAttributes.rewardStatus), value: heading.status ?? 'PENDING' },
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
