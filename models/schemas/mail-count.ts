import { Schema } from 'mongoose';

/** How many emails count towards a daily quota. */
export interface MailCountDoc {
  /** Scope and UTC day: `TEST partner:prt_…:2026-11-23`. */
  _id: string;
  count: number;
  expiresAt: Date;
}

export const mailCountSchema = new Schema<MailCountDoc>(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mail_counts', versionKey: false },
);
mailCountSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
