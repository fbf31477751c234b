import { Schema } from 'mongoose';
import type { InvoiceIssuer, InvoiceParty } from '../../domain/invoice-parties.ts';
import type { PeriodTerms } from '../../domain/plan-arithmetic.ts';
import { termsSchema } from './subscription.ts';

/** What a partner owes for one period of a subscription, or for an upgrade within it. Insert-only. */
export interface InvoiceDoc {
  _id: string;
  partnerId: string;
  subscriptionId: string;
  planVersionId: string;
  kind: 'PERIOD' | 'PRORATION';
  /** The upgrade that it is for; PRORATION only. */
  changeId: string | null;
  /** Counts the partner's invoices from 1; the invoice number ends in it. */
  seq: number;
  number: string;
  currency: string;
  periodStart: Date;
  periodEnd: Date;
  /** The terms that the period was billed on; PERIOD only. */
  terms: PeriodTerms | null;
  lines: InvoiceLine[];
  /** As of the issue; null if none was configured, absent in invoices from before it was stored. */
  issuer?: InvoiceIssuer | null;
  /** As of the issue; absent in invoices from before it was stored. */
  billedTo?: InvoiceParty;
  /** The sum of the lines, never below zero. */
  totalCents: number;
  status: 'ISSUED';
  paymentStatus: 'DUE';
  issuedAt: Date;
  dueAt: Date;
}

export interface InvoiceLine {
  kind: 'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION';
  description: string;
  /** Negative for a credit. */
  amountCents: number;
}

const text = { type: String, required: true };
const count = { type: Number, required: true };
const date = { type: Date, required: true };

const invoiceLineSchema = new Schema<InvoiceLine>(
  { kind: text, description: text, amountCents: count },
  { _id: false },
);

const optionalText = { type: String, default: null };
const named = { name: text, address: optionalText, taxId: optionalText };
const issuerSchema = new Schema<InvoiceIssuer>(
  { ...named, paymentDetails: optionalText },
  { _id: false },
);
const partySchema = new Schema<InvoiceParty>({ ...named, country: text }, { _id: false });

export const invoiceSchema = new Schema<InvoiceDoc>(
  {
    _id: text,
    partnerId: text,
    subscriptionId: text,
    planVersionId: text,
    kind: { type: String, enum: ['PERIOD', 'PRORATION'], required: true },
    changeId: { type: String, default: null },
    seq: count,
    number: text,
    currency: text,
    periodStart: date,
    periodEnd: date,
    terms: { type: termsSchema, default: null },
    lines: [invoiceLineSchema],
    issuer: { type: issuerSchema },
    billedTo: { type: partySchema },
    totalCents: count,
    status: { type: String, enum: ['ISSUED'], required: true },
    paymentStatus: { type: String, enum: ['DUE'], required: true },
    issuedAt: date,
    dueAt: date,
  },
  { collection: 'invoices', versionKey: false },
);
// Exactly one invoice per subscription and period, and one per upgrade (docs/domain.md, Plans, usage and
// billing).
invoiceSchema.index(
  { partnerId: 1, subscriptionId: 1, periodStart: 1, kind: 1, changeId: 1 },
  { unique: true },
);
invoiceSchema.index({ partnerId: 1, seq: -1 }, { unique: true });
invoiceSchema.index({ partnerId: 1, _id: -1 }, { unique: true });
