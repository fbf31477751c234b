import { collection, date, number, type Stored, text } from './fields.ts';

/**
 * What was moved in a day without approval: of one customer, of one partner, or by one operator.
 */
export const aloneSumSchema = collection('alone_sums', {
  /** Scope and UTC day: `partner:prt_…:2026-11-23`. */
  _id: text,
  cents: number,
  expiresAt: date,
});
export type AloneSumDoc = Stored<typeof aloneSumSchema>;
aloneSumSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
