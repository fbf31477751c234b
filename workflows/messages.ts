import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery } from '@temporalio/workflow';
import type { PurchaseSignal, RewardSnapshot } from '../domain/reward.ts';
import { searchAttributes } from '../domain/workflow-names.ts';

/** The result of the `state` query, for operators. */
export interface PurchaseState {
  reward: RewardSnapshot | null;
  waitingFor: string;
}

/** The signals that wake a purchase's workflow, with the descriptions that operators see. */
export const wakingSignals: Record<PurchaseSignal, string> = {
  funded: 'The wallet funded the reward while it waited.',
  claimed: 'The customer claimed the reward.',
  refunded: 'The partner reported a refund of the order.',
  cancelled: 'An operator cancelled the reward.',
  reinstated: 'An operator took back the refund of the reward.',
  corrected: 'The contact of the reward was corrected.',
  matured: 'The hold of the reward ended early.',
  expired: 'The TEST clock ended the claim window.',
  decided: 'An operator decided the review of the claimed reward’s refund.',
};

export const stateQuery = defineQuery<PurchaseState>('state');

export const rewardStatusKey = defineSearchAttributeKey(
  searchAttributes.rewardStatus,
  SearchAttributeType.KEYWORD,
);
