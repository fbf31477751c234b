import { initialState } from '../../domain/reward.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/** The reward of a purchase before it begins, made from its event alone: always the same. */
export function rewardOf(event: OrderEventDoc): RewardDoc {
  const facts = event.purchase;
  if (facts === null) throw new Error(`${event._id} is not a purchase`);
  return {
    _id: event.rewardId,
    partnerId: event.partnerId,
    integrationId: event.integrationId,
    mode: event.mode,
    purchaseEventId: event._id,
    externalOrderId: event.externalOrderId,
    workflowId: event.workflowId,
    customerId: facts.customerId,
    claimTokenHash: facts.claimTokenHash,
    currency: facts.currency,
    points: facts.arithmetic.points,
    liabilityCents: facts.liabilityCents,
    arithmetic: facts.arithmetic,
    state: initialState,
    refundedCents: 0,
    afterReview: null,
    customerDay: facts.customerDay,
    ...(facts.budget && { budget: facts.budget }),
    claimWindow: facts.claimWindow,
    claimExpiresAt: facts.claimExpiresAt,
    ...(facts.claimableFrom && { claimableFrom: facts.claimableFrom }),
    countedIn: null,
    fundingNotice: null,
    review: null,
    cancellation: null,
    version: 0,
    moves: [],
    due: null,
    createdAt: event.receivedAt,
    updatedAt: event.receivedAt,
  };
}
