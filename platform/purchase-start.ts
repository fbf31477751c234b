import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { Mode, PurchaseRef } from '../domain/events.ts';
import type { RewardStatus } from '../domain/reward-states.ts';
import { searchAttributes } from '../domain/workflow-names.ts';

/** A purchase whose workflow is to run: what finds it, and what an operator sees before opening it. */
export interface PurchaseHeading extends PurchaseRef {
  workflowId: string;
  mode: Mode;
  externalOrderId: string;
  rewardId: string;
  /** As far as it is known; a reward that is yet to be created is PENDING. */
  status?: RewardStatus;
}

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** Temporal takes 400 bytes of summary; an order id may have 160 characters of four bytes. */
const maxSummaryOrderChars = 60;

/**
 * How a purchase's workflow is started, for the first time or again: its input is a reference, so that
 * both are the same (domain, The answer to a purchase, and its workflow).
 */
export function purchaseStartOptions(heading: PurchaseHeading, taskQueue: string) {
  const { workflowId, partnerId, purchaseEventId, mode, externalOrderId, rewardId } = heading;
  const ref: PurchaseRef = { partnerId, purchaseEventId };
  return {
    workflowId,
    taskQueue,
    args: [ref] as [PurchaseRef],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    // One partner's flood does not hold the others' purchases up.
    priority: { fairnessKey: partnerId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: keyword(searchAttributes.partnerId), value: partnerId },
      { key: keyword(searchAttributes.mode), value: mode },
      { key: keyword(searchAttributes.externalOrderId), value: externalOrderId },
      { key: keyword(searchAttributes.rewardId), value: rewardId },
      { key: keyword(searchAttributes.rewardStatus), value: heading.status ?? 'PENDING' },
    ]),
    staticSummary: `${mode} order ${shortened(externalOrderId)}`,
    staticDetails: `Reward ${rewardId} of partner ${partnerId}, ${mode}.`,
  };
}

function shortened(order: string): string {
  return order.length > maxSummaryOrderChars
    ? `${[...order].slice(0, maxSummaryOrderChars).join('')}…`
    : order;
}
