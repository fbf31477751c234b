import type { Language } from '../../domain/languages.ts';
import type { Undelivered } from '../../domain/messages.ts';
import { modes } from '../../domain/mode.ts';
import type { PointsArithmetic } from '../../domain/points.ts';
import type { CustomerStatus, RewardMove, RewardStatus } from '../../domain/reward.ts';
import {
  collection,
  date,
  flag,
  listOf,
  mark,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  textOf,
  unchecked,
  withDefault,
} from './fields.ts';
import { pendingTurns } from './pending-turns.ts';

/** The hint of every query of a wallet's queue, so that MongoDB never chooses another index. */
export const awaitingFundingIndex = 'awaiting_funding';

/** The index of rewards that the daily totals do not include yet. */
export const uncountedIndex = 'uncounted';

/** The hint of a partner's list of rewards. */
export const partnerRewardsIndex = 'partner_rewards';

export const missingFundsIndex = 'missing_funds';

export const testRewardsIndex = 'test_rewards';

/** A move that was made, and its cause. */
const madeMove = part({
  move: unchecked(textOf<RewardMove>()),
  at: unchecked(date),
  /** The reward's status after the move, also for a refund that changed nothing. */
  status: unchecked(textOf<RewardStatus>()),
  /** For a refund: its order event, whose response follows from this move. */
  refundEventId: optional(text),
  /** For an operator's decision: the review. */
  reviewId: optional(text),
  /** The trace that it was made in, if one was recorded; its workflow continues it. */
  traceparent: optional(text),
});
export type MadeMove = Stored<typeof madeMove>;

/**
 * A reward. This document is the authority on its state. Every move is one conditional write of it, based
 * on the version that was read (models/rewards/move.ts).
 */
export const rewardSchema = collection('rewards', {
  _id: text,
  partnerId: text,
  integrationId: text,
  mode: oneOf(modes),
  purchaseEventId: text,
  externalOrderId: text,
  workflowId: text,
  customerId: text,
  claimTokenHash: text,
  currency: text,
  points: number,
  /** The cost for the partner. */
  liabilityCents: number,
  /** The wallet that funds it (`walletIdOf`). */
  walletId: text,
  /** The rule version and the calculation, which explain the points. */
  arithmetic: mixed<PointsArithmetic>(),
  status: textOf<RewardStatus>(),
  customerStatus: textOf<CustomerStatus>(),
  funded: flag,
  claimExpiresAt: date,
  /** The language of the page on which the customer claimed it; absent if unknown. */
  claimLanguage: optional(textOf<Language>()),
  review: nullable(
    part({
      reviewId: unchecked(text),
      openedAt: unchecked(text),
      dueMs: unchecked(number),
    }),
  ),
  /** The cancellation by an operator; also null if a refund cancelled the reward. */
  cancellation: nullable(
    part({
      operatorId: unchecked(text),
      cancelledAt: unchecked(text),
      sealedReason: unchecked(text),
    }),
  ),
  /** The number of moves. */
  version: number,
  moves: listOf(madeMove),
  /** The number of moves, from the first on, whose consequences are carried out. */
  carriedOut: withDefault(number, 0),
  /** Messages that did not reach the customer; absent without any. */
  undelivered: optional(mixed<Undelivered[]>()),
  /** Set while a move from outside the purchase's workflow is not carried out. */
  pendingSince: optional(date),
  /** Set while the totals of its day do not include it, or include it in a former state. */
  toCount: mark,
  /** The state in which those totals include it, and the batch that added it. */
  counted: optional(
    part({
      as: unchecked(textOf<RewardStatus>()),
      batch: unchecked(number),
    }),
  ),
  createdAt: date,
  updatedAt: date,
});
export type RewardDoc = Stored<typeof rewardSchema>;
rewardSchema.index({ partnerId: 1, purchaseEventId: 1 }, { unique: true });
rewardSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
rewardSchema.index({ claimTokenHash: 1 });
// For a wallet's queue, first come first served, with the amounts: read from the index alone.
rewardSchema.index(
  { partnerId: 1, walletId: 1, status: 1, _id: 1, liabilityCents: 1 },
  { name: awaitingFundingIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// For the missing funds by partner: summed from the index alone.
rewardSchema.index(
  { status: 1, mode: 1, currency: 1, partnerId: 1, liabilityCents: 1 },
  { name: missingFundsIndex, partialFilterExpression: { status: 'AWAITING_FUNDING' } },
);
// For rewards with moves that are not carried out; only as large as the backlog.
rewardSchema.index(pendingTurns.fields, pendingTurns.options);
// For rewards to count; only as large as the changes of the last seconds.
rewardSchema.index(
  { partnerId: 1, _id: 1, toCount: 1 },
  { name: uncountedIndex, partialFilterExpression: { toCount: true } },
);
// For the TEST clock's page; partial, so that it costs LIVE rewards nothing.
rewardSchema.index(
  { partnerId: 1, createdAt: 1 },
  { name: testRewardsIndex, partialFilterExpression: { mode: 'TEST' } },
);
// For operators' searches; the open rewards with a status are a range.
rewardSchema.index({ customerId: 1, _id: -1 });
rewardSchema.index({ externalOrderId: 1, _id: -1 });
rewardSchema.index({ status: 1, _id: -1 });
rewardSchema.index({ workflowId: 1, partnerId: 1 });
// For partners' lists, and their totals: summed from the index alone.
rewardSchema.index(
  { partnerId: 1, mode: 1, status: 1, _id: -1, currency: 1, points: 1, liabilityCents: 1 },
  { name: partnerRewardsIndex },
);

/** The totals of some rewards. */
export interface Total {
  rewards: number;
  points: number;
  cents: number;
}

/**
 * The totals of a partner's rewards for the purchases of a UTC day, by the state in which they are
 * counted.
 */
export const rewardTotalsSchema = collection('reward_totals', {
  /** Partner, mode, currency and day. */
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  currency: text,
  /** `yyyy-mm-dd`, in UTC. */
  day: text,
  /** The last batch added: repeating it changes nothing. */
  batch: number,
  states: mixed<Partial<Record<RewardStatus, Total>>>(),
});
export type RewardTotalsDoc = Stored<typeof rewardTotalsSchema>;
rewardTotalsSchema.index({ partnerId: 1, mode: 1, day: 1 });

/** A reward that a batch moves from the state it was counted in to its current one. */
export interface CountedReward extends Pick<RewardTotalsDoc, 'mode' | 'currency' | 'day'> {
  _id: string;
  points: number;
  cents: number;
  from: RewardStatus | null;
  to: RewardStatus;
}

/** The latest batch of a partner's rewards, and its rewards while it is being counted. */
export const rewardTallySchema = collection('reward_tallies', {
  /** The partner. */
  _id: text,
  partnerId: text,
  batch: number,
  open: optional(mixed<CountedReward[]>()),
});
export type RewardTallyDoc = Stored<typeof rewardTallySchema>;
rewardTallySchema.index({ partnerId: 1 });
