import { Schema } from 'mongoose';
import { type Interval, intervals, type PeriodTerms } from '../../domain/plan-arithmetic.ts';
import { type InvoiceLine, invoiceLineSchema } from './invoice.ts';
import { termsSchema } from './subscription.ts';

/**
 * A billing period ended in TEST, with the invoice that it would have had. It is a rehearsal: in no
 * ledger, owed by nobody, and part of no LIVE figure. Insert-only.
 */
export interface TestPeriodDoc {
  _id: string;
  partnerId: string;
  /** Counts the partner's from 1. */
  seq: number;
  planVersionId: string;
  interval: Interval;
  terms: PeriodTerms;
  /** From the end of the one before. */
  periodStart: Date;
  periodEnd: Date;
  /** TEST rewards reported in it that were funded and not returned when it ended. */
  rewards: number;
  points: number;
  currency: string;
  lines: InvoiceLine[];
  totalCents: number;
  /** What is left for the next invoice. */
  creditLeftCents: number;
}

const text = { type: String, required: true };
const count = { type: Number, required: true };
const date = { type: Date, required: true };

export const testPeriodSchema = new Schema<TestPeriodDoc>(
  {
    _id: text,
    partnerId: text,
    seq: count,
    planVersionId: text,
    interval: { type: String, enum: intervals, required: true },
    terms: { type: termsSchema, required: true },
    periodStart: date,
    periodEnd: date,
    rewards: count,
    points: count,
    currency: text,
    lines: [invoiceLineSchema],
    totalCents: count,
    creditLeftCents: count,
  },
  { collection: 'test_periods', versionKey: false },
);
testPeriodSchema.index({ partnerId: 1, seq: -1 }, { unique: true });
testPeriodSchema.index({ partnerId: 1, _id: -1 });
