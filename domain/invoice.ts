import type { InvoiceIssuer, InvoiceParty, PeriodTerms } from './billing.ts';
import { dayMs } from './utc-days.ts';
import type { InvoiceVat } from './vat.ts';

export interface InvoiceLine {
  kind: 'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION';
  description: string;
  /** Negative for a credit. */
  amountCents: number;
}

/** What arrived for an invoice, which may be a part of it. */
export interface InvoicePayment {
  /** The bank's, once per invoice. */
  reference: string;
  amountCents: number;
  /** The day at the bank, `yyyy-mm-dd`. */
  paidOn: string;
  recordedAt: Date;
}

/** Takes back a payment that did not arrive, which it names. */
export interface PaymentReversal extends Pick<InvoicePayment, 'reference' | 'amountCents'> {
  reason: string;
  reversedAt: Date;
}

/** Takes back a whole invoice, which it names. */
export interface CreditNote {
  /** The invoice's number with a suffix: an invoice has one credit note at most. */
  number: string;
  reason: string;
  issuedAt: Date;
}

/**
 * What a partner owes for one period of a subscription, or for an upgrade within it. What was issued never
 * changes; payments, their reversals and a credit note are added to it.
 */
export interface Invoice {
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
  /** As of the issue; null if none was configured, absent in invoices from before it was stored. */
  vat?: InvoiceVat | null;
  /** What a payment has to name. */
  paymentReference: string;
  status: 'ISSUED' | 'VOID';
  payments: InvoicePayment[];
  /** At most one of each payment, and of all of it. */
  reversals: PaymentReversal[];
  /** The sum of the payments without those reversed, at most the total. */
  paidCents: number;
  /** Null unless it is VOID. */
  creditNote: CreditNote | null;
  issuedAt: Date;
  dueAt: Date;
  /** How often the partner was reminded. */
  reminders: number;
  /** When it is reminded next; null if nothing is left to pay, and after the last reminder. */
  remindAt: Date | null;
}

export const paymentStatuses = ['DUE', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'VOID'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

type Payable = Pick<Invoice, 'status' | 'totalCents' | 'paidCents' | 'dueAt'>;

/** OVERDUE says that something is left to pay after the due date, whether a part was paid or not. */
export function paymentStatusAt(invoice: Payable, at: Date): PaymentStatus {
  if (invoice.status === 'VOID') return 'VOID';
  if (owedCentsOf(invoice) === 0) return 'PAID';
  if (at >= overdueFrom(invoice)) return 'OVERDUE';
  return invoice.paidCents > 0 ? 'PARTIALLY_PAID' : 'DUE';
}

/** What is left to pay, in cents. */
export const owedCentsOf = ({ status, totalCents, paidCents }: Omit<Payable, 'dueAt'>): number =>
  status === 'VOID' ? 0 : totalCents - paidCents;

/** The end of the UTC day on which it is due. */
const overdueFrom = ({ dueAt }: Pick<Invoice, 'dueAt'>): Date =>
  new Date(Math.floor(dueAt.getTime() / dayMs) * dayMs + dayMs);

/** The days after the due date on which the partner is reminded. */
const reminderDays = [0, 7, 21] as const;

/** @param reminders how many there were; null after the last */
export function nextReminderAt(invoice: Pick<Invoice, 'dueAt'>, reminders: number): Date | null {
  const days = reminderDays[reminders];
  return days === undefined ? null : new Date(overdueFrom(invoice).getTime() + days * dayMs);
}

const referenceChars = 8;

/**
 * What a bank transfer has to name, short enough to type: the partner, and the invoice if it pays one. The
 * end of a partner's id is random, and has no letters that look like digits.
 * @param prefix of the installation
 * @param seq the invoice's; without it the transfer is a top-up
 */
export function paymentReferenceOf(prefix: string, partnerId: string, seq?: number): string {
  const partner = partnerId.slice(-referenceChars);
  return [prefix, partner, ...(seq === undefined ? [] : [seq])].join('-');
}
