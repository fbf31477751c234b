import {
  collection,
  date,
  field,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  textOf,
} from './fields.ts';
import { terms } from './subscription.ts';

/** Sub-document of an invoice and of a TEST period. */
export const invoiceLine = part({
  kind: textOf<'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION'>(),
  description: text,
  /** Negative for a credit. */
  amountCents: number,
});
export type InvoiceLine = Stored<typeof invoiceLine>;

const named = { name: text, address: nullable(text), taxId: nullable(text) };
const issuer = part({ ...named, paymentDetails: nullable(text) });
const party = part({ ...named, country: text });

/** What a partner owes for one period of a subscription, or for an upgrade within it. Insert-only. */
export const invoiceSchema = collection('invoices', {
  _id: text,
  partnerId: text,
  subscriptionId: text,
  planVersionId: text,
  kind: oneOf(['PERIOD', 'PRORATION']),
  /** The upgrade that it is for; PRORATION only. */
  changeId: nullable(text),
  /** Counts the partner's invoices from 1; the invoice number ends in it. */
  seq: number,
  number: text,
  currency: text,
  periodStart: date,
  periodEnd: date,
  /** The terms that the period was billed on; PERIOD only. */
  terms: nullable(terms),
  lines: listOf(invoiceLine),
  /** As of the issue; null if none was configured, absent in invoices from before it was stored. */
  issuer: optional(field<Stored<typeof issuer> | null>({ type: issuer.type })),
  /** As of the issue; absent in invoices from before it was stored. */
  billedTo: optional(party),
  /** The sum of the lines, never below zero. */
  totalCents: number,
  status: oneOf(['ISSUED']),
  paymentStatus: oneOf(['DUE']),
  issuedAt: date,
  dueAt: date,
});
export type InvoiceDoc = Stored<typeof invoiceSchema>;
// Exactly one invoice per subscription and period, and one per upgrade (docs/domain.md, Plans, usage and
// billing).
invoiceSchema.index(
  { partnerId: 1, subscriptionId: 1, periodStart: 1, kind: 1, changeId: 1 },
  { unique: true },
);
invoiceSchema.index({ partnerId: 1, seq: -1 }, { unique: true });
invoiceSchema.index({ partnerId: 1, _id: -1 }, { unique: true });
