import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';

/**
 * The current rate limit window of a partner in one mode. API processes write it when they take a
 * block of requests; it is deleted after the window.
 */
export interface RateLimitDoc {
  partnerId: string;
  mode: Mode;
  /** How many requests of this window processes have taken, used or not. */
  taken: number;
  /** The size of the latest block. */
  granted: number;
  /** By the database's clock. */
  endsAt: Date;
  /** The rest of the window, by the same clock, when the latest block was taken. */
  leftMs: number;
}

export const rateLimitSchema = new Schema<RateLimitDoc>(
  {
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    taken: { type: Number, required: true },
    granted: { type: Number, required: true },
    endsAt: { type: Date, required: true },
    leftMs: { type: Number, required: true },
  },
  { collection: 'rate_limits', versionKey: false },
);
rateLimitSchema.index({ partnerId: 1, mode: 1 }, { unique: true });
rateLimitSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });
