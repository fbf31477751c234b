import type { MadeMove, Reward } from '../../domain/reward.ts';
import { indexWhatIsDue } from './due.ts';
import { declared } from './fields.ts';

/** A reward, the authority on its state. */
export type RewardDoc = Reward;
export type { MadeMove };

/** The hint of every query of a wallet's queue, so that MongoDB never chooses another index. */
export const awaitingFundingIndex = 'awaiting_funding';

/** The hint of a partner's list of rewards. */
export const partnerRewardsIndex = 'partner_rewards';

export const missingFundsIndex = 'missing_funds';

export const underReviewIndex = 'under_review';

/** The hint of an integration's list of orders, the newest change first. */
export const changedRewardsIndex = 'changed_rewards';

/** The hint of a customer's orders. */
export const customerRewardsIndex = { customerId: 1, _id: -1 } as const;

export const rewardSchema = declared<Reward>('rewards');
rewardSchema.index({ partnerId: 1, purchaseEventId: 1 }, { unique: true });
rewardSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
rewardSchema.index({ claimTokenHash: 1 });
indexWhatIsDue(rewardSchema);
// For a wallet's queue, in the order of purchases, with the amounts: read from the index alone.
rewardSchema.index(
  { partnerId: 1, mode: 1, state: 1, _id: 1, liabilityCents: 1 },
  { name: awaitingFundingIndex, partialFilterExpression: { state: 'AWAITING_FUNDING' } },
);
// For the missing funds by partner: summed from the index alone.
rewardSchema.index(
  { state: 1, mode: 1, currency: 1, partnerId: 1, liabilityCents: 1 },
  { name: missingFundsIndex, partialFilterExpression: { state: 'AWAITING_FUNDING' } },
);
// For what a customer can spend meanwhile.
rewardSchema.index(
  { partnerId: 1, customerId: 1, state: 1 },
  { name: underReviewIndex, partialFilterExpression: { state: 'IN_REVIEW' } },
);
// For operators' searches; the open rewards in a state are a range.
rewardSchema.index(customerRewardsIndex);
rewardSchema.index({ externalOrderId: 1, _id: -1 });
rewardSchema.index({ state: 1, _id: -1 });
rewardSchema.index({ workflowId: 1, partnerId: 1 });
// For partners' lists, and their totals: summed from the index alone.
rewardSchema.index(
  { partnerId: 1, mode: 1, state: 1, _id: -1, currency: 1, points: 1, liabilityCents: 1 },
  { name: partnerRewardsIndex },
);
// For an integration's list of orders; each state is a range.
rewardSchema.index(
  { partnerId: 1, mode: 1, integrationId: 1, state: 1, updatedAt: -1, _id: -1 },
  { name: changedRewardsIndex },
);
