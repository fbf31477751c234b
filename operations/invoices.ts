import Joi from 'joi';
import { invalidFields } from '../domain/errors.ts';
import { references } from '../domain/facts.ts';
import { type Invoice, type InvoicePayment, owedCentsOf } from '../domain/invoice.ts';
import {
  isRecorded,
  issueCreditNote,
  paymentOf,
  periodOfInvoice,
  recordInvoicePayment,
  recordPaymentReversal,
  requireVoidable,
} from '../domain/invoice-facts.ts';
import { dayMs, dayStartMs } from '../domain/utc-days.ts';
import { findPartner } from '../models/identity/partners.ts';
import { findEntry } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import { requireFound } from '../models/store/require-found.ts';
import { utcDay } from '../platform/validation.ts';
import type { OperationDeps } from './deps.ts';
import { currencyCode, idField, longText, movementReference } from './fields.ts';
import { always, sensitiveOperation, takesTwo } from './operation.ts';
import { maxTopUpCents } from './wallets.ts';

type InvoiceDeps = Pick<OperationDeps, 'models' | 'commit' | 'now'>;

interface InvoiceRef {
  partnerId: string;
  invoiceId: string;
}

const refFields = { partnerId: idField, invoiceId: idField };

/** @throws ServiceError NOT_FOUND */
async function find({ models }: { models: Models }, { partnerId, invoiceId: _id }: InvoiceRef) {
  const partner = await findPartner(models, partnerId);
  const invoice = requireFound(await models.invoices.findOne({ partnerId, _id }), 'invoice', _id);
  return { partner, invoice };
}

type Payment = InvoiceRef &
  Omit<InvoicePayment, 'recordedAt'> & {
    /** The currency on the bank's statement, which must be the invoice's. */
    currency: string;
  };

const firstDay = '2000-01-01';

/** A payment that arrived for an invoice, or for a part of it, once per reference (docs/concepts/billing.md, Payments). */
export const recordPayment = sensitiveOperation({
  name: 'invoice.record-payment',
  permission: { operator: 'invoice.record-payment', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Payment>({
    ...refFields,
    amountCents: Joi.number().integer().min(1).max(maxTopUpCents).required(),
    currency: currencyCode.required(),
    paidOn: utcDay.required(),
    reference: movementReference.required(),
  }),
  find: (deps, input) => find(deps, input),
  atWorst: { moves: 'the amount', undo: 'invoice.reverse-payment', two: takesTwo.always },
  approval: {
    shown({ now }, { partnerId, invoiceId, ...payment }, { partner, invoice }) {
      requirePayable(payment, invoice, now());
      const { number, totalCents } = invoice;
      return { partnerId, partner: partner.name, invoiceId, number, totalCents, ...payment };
    },
    needed: always,
    possible: (_deps, payment, { invoice }) => void isRecorded(invoice, payment),
  },
  audit: ({ partnerId, invoiceId: targetId, reference, amountCents, currency, paidOn }, found) => ({
    targetId,
    partnerId,
    details: { reference, amountCents, currency, paidOn, number: found.invoice.number },
    once: 'BY_REFERENCE',
  }),

  /**
   * @returns the invoice afterwards
   * @throws ServiceError VALIDATION_FAILED for another currency or a day in the future; CONFLICT if the invoice
   *   is void, if less is left to pay by now, or if the reference belongs to another payment of the invoice
   */
  async run(
    { commit, now }: InvoiceDeps,
    { partnerId, invoiceId, currency, ...payment },
    { found: { invoice } },
  ): Promise<Invoice> {
    requirePayable({ currency, ...payment }, invoice, now());
    return await commit({
      partnerId,
      wallet: { mode: 'LIVE', partnerId },
      invoiceIds: [invoiceId],
      decide: (draft, terms) => recordInvoicePayment(draft, invoiceId, payment, terms),
    });
  },
});

function requirePayable(
  { currency, paidOn }: Pick<Payment, 'currency' | 'paidOn'>,
  invoice: Invoice,
  nowMs: number,
): void {
  if (currency !== invoice.currency) {
    throw invalidFields({ currency: `currency must be ${invoice.currency}, the invoice's` });
  }
  // A bank may be a day ahead of UTC.
  if (paidOn < firstDay || dayStartMs(paidOn) > nowMs + dayMs) {
    throw invalidFields({ paidOn: 'paidOn must be a day that is not in the future' });
  }
}

/**
 * Takes back a payment that was recorded and did not arrive, by an entry that names it: what it paid is due again
 * (docs/concepts/billing.md, Payments).
 */
export const reversePayment = sensitiveOperation({
  name: 'invoice.reverse-payment',
  permission: { operator: 'invoice.reverse-payment', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<InvoiceRef & { reference: string; reason: string }>({
    ...refFields,
    reference: movementReference.required(),
    reason: longText(500).required(),
  }),
  async find(deps, { reference, ...ref }) {
    const found = await find(deps, ref);
    const { amountCents, paidOn } = paymentOf(found.invoice, reference);
    const wallet = { mode: 'LIVE', partnerId: ref.partnerId } as const;
    const written = references.payment(ref.invoiceId, reference);
    const entry = requireFound(await findEntry(deps.models, wallet, written), 'payment', reference);
    return { ...found, amountCents, paidOn, transactionId: entry._id };
  },
  atWorst: { moves: 'the payment', undo: 'invoice.record-payment', two: takesTwo.always },
  approval: {
    shown(_deps, { partnerId, invoiceId, reference, reason }, { partner, invoice, ...payment }) {
      const { number, totalCents, currency } = invoice;
      const of = { invoiceId, number, totalCents, currency };
      return { partnerId, partner: partner.name, ...of, reference, ...payment, reason };
    },
    needed: always,
  },
  audit: ({ partnerId, invoiceId: targetId, reference }, { invoice, amountCents }) => {
    const { number, currency } = invoice;
    return {
      targetId,
      partnerId,
      details: { reference, amountCents, currency, number },
      once: 'BY_REFERENCE',
    };
  },

  /** @returns the invoice afterwards */
  async run(
    { commit }: InvoiceDeps,
    { partnerId, invoiceId, ...reversal },
    { found: { transactionId: entryId } },
  ): Promise<Invoice> {
    return await commit({
      partnerId,
      wallet: { mode: 'LIVE', partnerId },
      invoiceIds: [invoiceId],
      decide: (draft, terms) =>
        recordPaymentReversal(draft, invoiceId, { ...reversal, entryId }, terms),
    });
  },
});

/** Takes an unpaid invoice back by a credit note that names it (docs/concepts/billing.md, Payments). */
export const voidInvoice = sensitiveOperation({
  name: 'invoice.void',
  permission: { operator: 'invoice.void', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<InvoiceRef & { reason: string }>({
    ...refFields,
    reason: longText(500).required(),
  }),
  find: (deps, input) => find(deps, input),
  atWorst: { moves: 'the invoice’s total', undo: null, two: takesTwo.always },
  approval: {
    shown(_deps, { partnerId, invoiceId, reason }, { partner, invoice }) {
      const { number, totalCents, currency } = invoice;
      const leftCents = owedCentsOf(invoice);
      const of = { invoiceId, number, totalCents, leftCents, currency };
      return { partnerId, partner: partner.name, ...of, reason };
    },
    needed: always,
    possible: (_deps, _input, { invoice }) => {
      if (invoice.status !== 'VOID') requireVoidable(invoice);
    },
  },
  audit: ({ partnerId, invoiceId: targetId }, { invoice }) => {
    const { number, totalCents: amountCents, currency } = invoice;
    return { targetId, partnerId, details: { number, amountCents, currency } };
  },

  /**
   * @returns the invoice afterwards
   * @throws ServiceError CONFLICT if something was paid, if nothing was owed, or if a later invoice used a credit
   *   that depends on it
   */
  async run(
    { commit }: InvoiceDeps,
    { partnerId, invoiceId, reason },
    { found: { invoice } },
  ): Promise<Invoice> {
    const periodId = periodOfInvoice(invoice);
    return await commit({
      partnerId,
      wallet: { mode: 'LIVE', partnerId },
      invoiceIds: [invoiceId],
      subscriptionIds: [invoice.subscriptionId],
      periodIds: periodId === null ? [] : [periodId],
      decide: (draft, terms) => issueCreditNote(draft, invoiceId, reason, terms),
    });
  },
});
