import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  Answer,
  Cancellation,
  Mode,
  PurchaseCommand,
  RefundCommand,
  RewardSnapshot,
} from '../domain/events.ts';
import { purchaseWorkflow, walletWorkflow } from '../domain/workflow-names.ts';

/** How a purchase workflow begins: with a purchase to record, or one to pick up where it stands. */
export type PurchaseStart =
  | { kind: 'RECORD'; command: PurchaseCommand }
  | { kind: 'RESUME'; partnerId: string; purchaseEventId: string };

/** The reward after the claim; its customerStatus says whether it was claimed. */
export interface ClaimAnswer {
  reward: RewardSnapshot;
}

/** The reward after an operator asked to cancel it; its status says whether it is cancelled. */
export interface CancelAnswer {
  reward: RewardSnapshot;
}

/** The type of the failure that asks the caller to ask again: this run ends, the next one answers. */
export const runIsClosing = 'RunIsClosing';

/** What an operator reads from the `state` query. */
export interface PurchaseState {
  reward: RewardSnapshot | null;
  waitingFor: string;
}

/** Waits for the purchase's record and gives its answer. Its update id is the payload hash. */
export const answerPurchase = defineUpdate<Answer, [{ payloadHash: string }]>('answerPurchase');
export const refundPurchase = defineUpdate<Answer, [RefundCommand]>('refundPurchase');
export const claimReward = defineUpdate<ClaimAnswer, []>('claimReward');
export const cancelReward = defineUpdate<CancelAnswer, [Cancellation]>('cancelReward');
/** The wallet funded the reward while it waited. */
export const rewardFunded = defineSignal(purchaseWorkflow.rewardFunded);
/** Money came to the wallet, or a reward joined its line. */
export const fundsChanged = defineSignal(walletWorkflow.fundsChanged);
export const stateQuery = defineQuery<PurchaseState>('state');

export const attributes = {
  partnerId: defineSearchAttributeKey('PartnerId', SearchAttributeType.KEYWORD),
  mode: defineSearchAttributeKey('Mode', SearchAttributeType.KEYWORD),
  externalOrderId: defineSearchAttributeKey('ExternalOrderId', SearchAttributeType.KEYWORD),
  rewardId: defineSearchAttributeKey('RewardId', SearchAttributeType.KEYWORD),
  rewardStatus: defineSearchAttributeKey('RewardStatus', SearchAttributeType.KEYWORD),
};

/**
 * One workflow per (mode, credential, idempotency key); the key itself may name a customer and stays
 * out of it (domain, Workflows).
 */
export function purchaseWorkflowId(
  mode: Mode,
  credentialId: string,
  idempotencyKeyHash: string,
): string {
  return `purchase/${mode}/${credentialId}/${idempotencyKeyHash}`;
}

/** The identity of a refund request within its purchase: a repeat joins the first (contract, Idempotency 3). */
export function refundUpdateId({
  credentialId,
  idempotencyKeyHash,
  payloadHash,
}: RefundCommand): string {
  return `refund/${credentialId}/${idempotencyKeyHash}/${payloadHash}`;
}
