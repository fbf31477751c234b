import { modes } from '../../domain/mode.ts';
import type { RewardStatus } from '../../domain/reward-states.ts';
import { collection, mixed, number, oneOf, optional, type Stored, text } from './fields.ts';

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
