import { Schema } from 'mongoose';

/** What single operators moved on a day of one customer, of one partner, or one of them altogether. */
export interface AloneSumDoc {
  /** Whose, and of which UTC day: `partner:prt_…:2026-11-23`. */
  _id: string;
  cents: number;
  expiresAt: Date;
}

export const aloneSumSchema = new Schema<AloneSumDoc>(
  {
    _id: { type: String, required: true },
    cents: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'alone_sums', versionKey: false },
);
aloneSumSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
