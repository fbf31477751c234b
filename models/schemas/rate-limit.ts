import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';

/**
 * The permits of the running window of a partner's keys of one mode. Written by the API processes as they take permits;
 * gone when its window is over.
 */
export interface RateLimitDoc {
  partnerId: string;
  mode: Mode;
  /** Permits of this window that a process took, used or not. */
  taken: number;
  /** How many of them the newest request for permits was given. */
  granted: number;
  /** By the database's clock. */
  endsAt: Date;
  /** What was left of the window, by the same clock, when it was last asked for permits. */
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
