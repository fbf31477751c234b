import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import type { RewardStatus } from '../../domain/reward-states.ts';

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
export interface RewardTotalsDoc {
  /** Partner, mode, currency and day. */
  _id: string;
  partnerId: string;
  mode: Mode;
  currency: string;
  /** `yyyy-mm-dd`, in UTC. */
  day: string;
  /** The last batch added: repeating it changes nothing. */
  batch: number;
  states: Partial<Record<RewardStatus, Total>>;
}

export const rewardTotalsSchema = new Schema<RewardTotalsDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    currency: { type: String, required: true },
    day: { type: String, required: true },
    batch: { type: Number, required: true },
    states: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'reward_totals', versionKey: false },
);
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
export interface RewardTallyDoc {
  /** The partner. */
  _id: string;
  partnerId: string;
  batch: number;
  open?: CountedReward[];
}

export const rewardTallySchema = new Schema<RewardTallyDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    batch: { type: Number, required: true },
    open: { type: Schema.Types.Mixed },
  },
  { collection: 'reward_tallies', versionKey: false },
);
rewardTallySchema.index({ partnerId: 1 });
