import type { WalletRef } from '../../domain/postings.ts';
import { initialState, type Reward } from '../../domain/reward.ts';
import type { CountedBudget } from '../../domain/rule-budgets.ts';

export interface RewardInput {
  id: string;
  customer?: string;
  points?: number;
  cents?: number;
  /** None by default. */
  holdDays?: number;
  budget?: CountedBudget;
}

/** A reward as its purchase makes it. */
export function aReward(
  wallet: WalletRef,
  { id, customer = 'cus_1', points = 100, cents = 100, holdDays = 0, budget }: RewardInput,
): Reward {
  const { partnerId, mode } = wallet;
  const createdAt = new Date('2026-03-10T09:00:00.000Z');
  const day = (days: number) => new Date(createdAt.getTime() + days * 86_400_000);
  return {
    _id: id,
    partnerId,
    integrationId: 'int_1',
    mode,
    purchaseEventId: `evt_${id}`,
    due: null,
    externalOrderId: id,
    workflowId: id,
    customerId: customer,
    claimTokenHash: id,
    currency: 'USD',
    points,
    liabilityCents: cents,
    arithmetic: {
      ruleId: 'rul_1',
      kind: 'PER_AMOUNT',
      subtotalCents: 1_000,
      refundedCents: 0,
      basePoints: points,
      multiplier: 1,
      uncappedPoints: points,
      capPerOrderPoints: null,
      customerDayLeftPoints: null,
      points,
      explanation: '',
    },
    state: initialState,
    refundedCents: 0,
    afterReview: null,
    customerDay: null,
    ...(budget && { budget }),
    claimWindow: 'P30D',
    claimExpiresAt: day(holdDays + 30),
    ...(holdDays > 0 && { claimableFrom: day(holdDays) }),
    countedIn: null,
    fundingNotice: null,
    review: null,
    cancellation: null,
    version: 0,
    moves: [],
    createdAt,
    updatedAt: createdAt,
  };
}
