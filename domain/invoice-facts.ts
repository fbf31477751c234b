import { useOf } from './billing.ts';
import type { Draft } from './draft.ts';
import { ServiceError } from './errors.ts';
import { postEntry, references, type Terms } from './facts.ts';
import {
  type Invoice,
  type InvoicePayment,
  nextReminderAt,
  owedCentsOf,
  paymentStatusAt,
} from './invoice.ts';
import { moneyText } from './money.ts';
import {
  creditNotePostings,
  invoicePostings,
  paymentPostings,
  paymentReversalPostings,
} from './postings.ts';
import { usagePeriodId } from './usage-periods.ts';
import { dayMs } from './utc-days.ts';
import { type Announcement, withoutReward } from './webhooks.ts';

/** What happens to invoices, each decided on a draft (docs/concepts/billing.md, Payments). */

/** A partner owes an invoice. */
export function oweInvoice(
  draft: Draft,
  { _id, partnerId, totalCents }: Pick<Invoice, '_id' | 'partnerId' | 'totalCents'>,
  terms: Terms,
): void {
  postEntry(draft, { mode: 'LIVE', partnerId }, terms, {
    kind: 'INVOICE',
    reference: references.invoice(_id),
    postings: invoicePostings(totalCents),
  });
}

/** The most payments of one invoice. */
export const maxPayments = 100;

/**
 * A payment, or a part of one, arrived. Recording it again changes nothing.
 * @throws ServiceError NOT_FOUND; CONFLICT if the invoice is void, if less is left to pay, or if the reference
 *   belongs to another payment of the invoice
 */
export function recordInvoicePayment(
  draft: Draft,
  invoiceId: string,
  payment: Omit<InvoicePayment, 'recordedAt'>,
  terms: Terms,
): Invoice {
  const invoice = heldInvoice(draft, invoiceId);
  if (isRecorded(invoice, payment)) return invoice;
  const { reference, amountCents, paidOn } = payment;
  postEntry(draft, { mode: 'LIVE', partnerId: invoice.partnerId }, terms, {
    kind: 'PAYMENT',
    reference: references.payment(invoiceId, reference),
    postings: paymentPostings(amountCents),
  });
  const paid: Invoice = {
    ...invoice,
    payments: [...invoice.payments, { reference, amountCents, paidOn, recordedAt: terms.at }],
    paidCents: invoice.paidCents + amountCents,
    remindAt: amountCents === owedCentsOf(invoice) ? null : invoice.remindAt,
  };
  draft.invoices.set(invoiceId, paid);
  draft.announce({
    ...about(paid, terms, `${invoiceId} ${reference}`),
    type: 'invoice.payment_recorded',
    data: { ...dataOf(paid), amountCents, paymentStatus: paymentStatusAt(paid, terms.at) },
  });
  return paid;
}

/**
 * Whether the payment is recorded; if not, it can be.
 * @throws ServiceError CONFLICT as `recordInvoicePayment`
 */
export function isRecorded(
  invoice: Invoice,
  { reference, amountCents, paidOn }: Omit<InvoicePayment, 'recordedAt'>,
): boolean {
  const known = invoice.payments.find((one) => one.reference === reference);
  if (known !== undefined) {
    if (invoice.reversals.some((one) => one.reference === reference)) {
      throw new ServiceError(
        'CONFLICT',
        `The payment ${JSON.stringify(reference)} was reversed. Record what arrives under another reference.`,
      );
    }
    if (known.amountCents === amountCents && known.paidOn === paidOn) return true;
    throw new ServiceError(
      'CONFLICT',
      `${JSON.stringify(reference)} is already a payment of this invoice: ${moneyText(known.amountCents, invoice.currency)} on ${known.paidOn}. Use another reference.`,
    );
  }
  if (invoice.status === 'VOID') {
    throw new ServiceError('CONFLICT', `The invoice ${invoice.number} is void: nothing is due.`);
  }
  const leftCents = owedCentsOf(invoice);
  if (amountCents > leftCents) {
    throw new ServiceError(
      'CONFLICT',
      `Only ${moneyText(leftCents, invoice.currency)} is left to pay of the invoice ${invoice.number}.`,
    );
  }
  if (invoice.payments.length >= maxPayments) {
    throw new ServiceError('CONFLICT', `An invoice has at most ${maxPayments} payments.`);
  }
  return false;
}

/**
 * A payment that was recorded did not arrive: what it paid is due again. Reversing it again changes nothing.
 * @param entryId of the payment in the ledger
 * @throws ServiceError NOT_FOUND for no payment of the invoice
 */
export function recordPaymentReversal(
  draft: Draft,
  invoiceId: string,
  { reference, reason, entryId }: { reference: string; reason: string; entryId: string },
  terms: Terms,
): Invoice {
  const invoice = heldInvoice(draft, invoiceId);
  if (invoice.reversals.some((one) => one.reference === reference)) return invoice;
  const { amountCents } = paymentOf(invoice, reference);
  postEntry(draft, { mode: 'LIVE', partnerId: invoice.partnerId }, terms, {
    kind: 'PAYMENT_REVERSAL',
    reference: references.reversal(invoiceId, reference),
    postings: paymentReversalPostings(amountCents),
    reverses: entryId,
  });
  const reversal = { reference, amountCents, reason, reversedAt: terms.at };
  const due: Invoice = {
    ...invoice,
    reversals: [...invoice.reversals, reversal],
    paidCents: invoice.paidCents - amountCents,
    remindAt: invoice.remindAt ?? nextReminderAt(invoice, invoice.reminders),
  };
  draft.invoices.set(invoiceId, due);
  draft.announce({
    ...about(due, terms, `${invoiceId} ${reference} reversed`),
    type: 'invoice.payment_reversed',
    data: { ...dataOf(due), amountCents, paymentStatus: paymentStatusAt(due, terms.at) },
  });
  return due;
}

/** @throws ServiceError NOT_FOUND */
export function paymentOf(
  { number, payments }: Pick<Invoice, 'number' | 'payments'>,
  reference: string,
): InvoicePayment {
  const payment = payments.find((one) => one.reference === reference);
  if (payment !== undefined) return payment;
  const what = `no payment ${JSON.stringify(reference)} of the invoice ${number}`;
  throw new ServiceError('NOT_FOUND', `There is ${what}.`);
}

/**
 * An operator takes an invoice back, by a credit note that names it. The credit that it used is the
 * subscription's again; the period that it billed costs nothing any more, so that points which are given back
 * to it save nothing either. Voiding it again changes nothing.
 * @throws ServiceError NOT_FOUND; CONFLICT if something was paid, if nothing was owed, or if what was saved
 *   since is used on a later invoice
 */
export function issueCreditNote(
  draft: Draft,
  invoiceId: string,
  reason: string,
  terms: Terms,
): Invoice {
  const invoice = heldInvoice(draft, invoiceId);
  if (invoice.status === 'VOID') return invoice;
  const { number, totalCents, partnerId } = invoice;
  requireVoidable(invoice);
  giveBackCredit(draft, invoice);
  postEntry(draft, { mode: 'LIVE', partnerId }, terms, {
    kind: 'CREDIT_NOTE',
    reference: references.creditNote(invoiceId),
    postings: creditNotePostings(totalCents),
  });
  const creditNote = { number: `${number}-C`, reason, issuedAt: terms.at };
  const voided: Invoice = { ...invoice, status: 'VOID', creditNote, remindAt: null };
  draft.invoices.set(invoiceId, voided);
  draft.announce({
    ...about(voided, terms, invoiceId),
    type: 'invoice.voided',
    data: { ...dataOf(voided), creditNoteNumber: creditNote.number },
  });
  return voided;
}

/** @throws ServiceError CONFLICT if something was paid, or if nothing was owed */
export function requireVoidable({
  number,
  totalCents,
  paidCents,
  currency,
}: Pick<Invoice, 'number' | 'totalCents' | 'paidCents' | 'currency'>): void {
  if (paidCents > 0) {
    const because = `${moneyText(paidCents, currency)} of the invoice ${number} was paid, so it stands.`;
    throw new ServiceError('CONFLICT', because);
  }
  if (totalCents === 0) {
    throw new ServiceError('CONFLICT', `Nothing is owed for the invoice ${number}.`);
  }
}

/** The billed period of an invoice, whose credits depend on it; null for an upgrade. */
export const periodOfInvoice = ({ subscriptionId, periodStart, terms }: Invoice): string | null =>
  terms === null ? null : usagePeriodId(subscriptionId, periodStart.toISOString());

function giveBackCredit(draft: Draft, invoice: Invoice): void {
  const subscription = draft.subscriptions.get(invoice.subscriptionId);
  const periodId = periodOfInvoice(invoice);
  if (periodId === null) return;
  const period = draft.periods.get(periodId);
  if (subscription === undefined || !period?.billedOn) {
    throw new Error(`the period ${periodId} was not read`);
  }
  const sumOf = (kind: 'OVERAGE' | 'CREDIT') =>
    invoice.lines.reduce((sum, line) => sum + (line.kind === kind ? line.amountCents : 0), 0);
  const usedCents = 0 - sumOf('CREDIT');
  const savedCents = sumOf('OVERAGE') - useOf(period.points, period.billedOn).overageCents;
  const creditCents = subscription.creditCents + usedCents - savedCents;
  if (creditCents < 0) {
    throw new ServiceError(
      'CONFLICT',
      `Points of the period of ${invoice.number} were given back, and a later invoice used the credit. Void that one first.`,
    );
  }
  draft.subscriptions.set(subscription._id, { ...subscription, creditCents });
  const billedOn = { ...period.billedOn, priceCents: 0, overageRateMicrosPerPoint: 0 };
  draft.periods.set(periodId, { ...period, billedOn });
}

/** How long after a reminder that was late the next one is made. */
const missedAfterMs = 7 * dayMs;

/** The partner is reminded of an overdue invoice, if it is time and something is left to pay. */
export function remind(draft: Draft, invoiceId: string, terms: Terms): boolean {
  const invoice = heldInvoice(draft, invoiceId);
  const { remindAt, reminders } = invoice;
  if (remindAt === null || remindAt > terms.at) return false;
  const made = reminders + 1;
  const planned = nextReminderAt(invoice, made);
  // A run that is late does not make two reminders at once.
  const isMissed = planned !== null && planned <= terms.at;
  const remindNextAt = isMissed ? new Date(terms.at.getTime() + missedAfterMs) : planned;
  const reminded = { ...invoice, reminders: made, remindAt: remindNextAt };
  draft.invoices.set(invoiceId, reminded);
  draft.announce({
    ...about(reminded, terms, `${invoiceId} ${made}`),
    type: 'invoice.overdue',
    data: {
      ...dataOf(reminded),
      paymentReference: reminded.paymentReference,
      reminder: made,
      isLastReminder: reminded.remindAt === null,
    },
  });
  return true;
}

function heldInvoice(draft: Draft, invoiceId: string): Invoice {
  const invoice = draft.invoices.get(invoiceId);
  if (invoice !== undefined) return invoice;
  throw new ServiceError('NOT_FOUND', `There is no invoice ${JSON.stringify(invoiceId)}.`);
}

const about = ({ partnerId }: Invoice, { at }: Terms, cause: string) =>
  ({
    partnerId,
    mode: 'LIVE',
    at,
    cause,
    ...withoutReward,
  }) satisfies Partial<Announcement>;

const dataOf = (invoice: Invoice) => ({
  invoiceId: invoice._id,
  number: invoice.number,
  currency: invoice.currency,
  totalCents: invoice.totalCents,
  paidCents: invoice.paidCents,
  leftCents: owedCentsOf(invoice),
  dueAt: invoice.dueAt,
});
