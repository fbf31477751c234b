import { Schema } from 'mongoose';

/**
 * What was moved in a day without approval: of one customer, of one partner, or by one operator.
 */
export interface AloneSumDoc {
  /** Scope and UTC day: `partner:prt_…:2026-11-23`. */
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
