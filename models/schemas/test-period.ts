import { intervals } from '../../domain/plan-arithmetic.ts';
import { collection, date, listOf, number, oneOf, type Stored, text } from './fields.ts';
import { invoiceLine } from './invoice.ts';
import { terms } from './subscription.ts';

/**
 * A billing period ended in TEST, with the invoice that it would have had. It is a rehearsal: in no
 * ledger, owed by nobody, and part of no LIVE figure. Insert-only.
 */
export const testPeriodSchema = collection('test_periods', {
  _id: text,
  partnerId: text,
  /** Counts the partner's from 1. */
  seq: number,
  planVersionId: text,
  interval: oneOf(intervals),
  terms,
  /** From the end of the one before. */
  periodStart: date,
  periodEnd: date,
  /** TEST rewards reported in it that were funded and not returned when it ended. */
  rewards: number,
  points: number,
  currency: text,
  lines: listOf(invoiceLine),
  totalCents: number,
  /** What is left for the next invoice. */
  creditLeftCents: number,
});
export type TestPeriodDoc = Stored<typeof testPeriodSchema>;
testPeriodSchema.index({ partnerId: 1, seq: -1 }, { unique: true });
testPeriodSchema.index({ partnerId: 1, _id: -1 });
