import { collection, date, number, type Stored, text } from './fields.ts';

/** How many emails count towards a daily quota. */
export const mailCountSchema = collection('mail_counts', {
  /** Scope and UTC day: `TEST partner:prt_…:2026-11-23`. */
  _id: text,
  count: number,
  expiresAt: date,
});
export type MailCountDoc = Stored<typeof mailCountSchema>;
mailCountSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
