import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Answer, Cancellation, RefundCommand, RewardSnapshot } from '../domain/events.ts';
import { purchaseWorkflow, searchAttributes, walletWorkflow } from '../domain/workflow-names.ts';

/** The type of the failure that asks the caller to ask again: this run ends, the next one answers. */
export const runIsClosing = 'RunIsClosing';

/** What an operator reads from the `state` query. */
export interface PurchaseState {
  reward: RewardSnapshot | null;
  waitingFor: string;
}

export const refundPurchase = defineUpdate<Answer, [RefundCommand]>('refundPurchase');
/** The reward after the claim; its customerStatus says whether it was claimed. */
export const claimReward = defineUpdate<RewardSnapshot, []>('claimReward');
/** The reward after an operator asked to cancel it; its status says whether it is cancelled. */
export const cancelReward = defineUpdate<RewardSnapshot, [Cancellation]>('cancelReward');
/** The TEST reward after its claim window was ended early; its status says whether it expired. */
export const expireTestReward = defineUpdate<RewardSnapshot, []>('expireTestReward');
/** The wallet funded the reward while it waited. */
export const rewardFunded = defineSignal(purchaseWorkflow.rewardFunded);
/** Money came to the wallet, or a reward joined its line. */
export const fundsChanged = defineSignal(walletWorkflow.fundsChanged);
export const stateQuery = defineQuery<PurchaseState>('state');

/** The type of the failure that refuses a LIVE reward what is for TEST alone. */
export const onlyInTest = 'OnlyInTest';

export const modeKey = defineSearchAttributeKey(searchAttributes.mode, SearchAttributeType.KEYWORD);
export const rewardStatusKey = defineSearchAttributeKey(
  searchAttributes.rewardStatus,
  SearchAttributeType.KEYWORD,
);

/** The identity of a refund request within its purchase: a repeat joins the first (contract, Idempotency 3). */
export function refundUpdateId({
  credentialId,
  idempotencyKeyHash,
  payloadHash,
}: RefundCommand): string {
  return `refund/${credentialId}/${idempotencyKeyHash}/${payloadHash}`;
}
