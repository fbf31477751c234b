import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import type { RewardStatus } from '../../domain/reward-states.ts';

/** The totals of some rewards. */
export interface Total {
  rewards: number;
  points: number;
  cents: number;
}

/** The totals of a partner's rewards for the purchases of a UTC day, by their state. */
export interface RewardTotalsDoc {
  /** Partner, mode, currency and day. */
  _id: string;
  partnerId: string;
  mode: Mode;
  currency: string;
  /** `yyyy-mm-dd`, in UTC. */
  day: string;
  states: Partial<Record<RewardStatus, Total>>;
}

export const rewardTotalsSchema = new Schema<RewardTotalsDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    currency: { type: String, required: true },
    day: { type: String, required: true },
    states: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'reward_totals', versionKey: false },
);
rewardTotalsSchema.index({ partnerId: 1, mode: 1, day: 1 });
