import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import type { RewardStatus } from '../../domain/reward-states.ts';

/** What some rewards amount to. */
export interface Total {
  rewards: number;
  points: number;
  cents: number;
}

/** What the rewards of one partner's purchases of a UTC day amount to, by the state that they are counted in. */
export interface RewardTotalsDoc {
  /** Partner, mode, currency and day. */
  _id: string;
  partnerId: string;
  mode: Mode;
  currency: string;
  /** `yyyy-mm-dd`, in UTC. */
  day: string;
  /** The last batch that was added: a repeat of it changes nothing. */
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

/** A reward that a batch counts anew: out of the state that it was counted in, into the one it has. */
export interface CountedReward extends Pick<RewardTotalsDoc, 'mode' | 'currency' | 'day'> {
  _id: string;
  points: number;
  cents: number;
  from: RewardStatus | null;
  to: RewardStatus;
}

/** Which batch of a partner's rewards was counted last, and what is in it while it is being counted. */
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
