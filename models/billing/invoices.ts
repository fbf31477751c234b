import type { Draft } from '../../domain/draft.ts';
import { oweInvoice, type Terms } from '../../domain/facts.ts';
import type { InvoiceParty } from '../../domain/invoice-parties.ts';
import type { WebhookFact } from '../../domain/webhooks.ts';
import { derivedUlid } from '../../platform/ids.ts';
import type { InvoiceDoc } from '../schemas/billing.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

const dueAfterMs = 14 * 24 * 3_600_000;

/** An invoice before issuing, which adds its number, parties, total and due date. */
export type InvoiceDraft = Omit<
  InvoiceDoc,
  'seq' | 'number' | 'issuer' | 'billedTo' | 'totalCents' | 'status' | 'paymentStatus' | 'dueAt'
>;

/**
 * The id of the invoice for a period or an upgrade. It is known before the invoice is issued, so
 * that what is written earlier can refer to it. Like every id, it sorts by time.
 * @param atMs when the period ends, or the upgrade was made
 */
export function invoiceIdOf(subscriptionId: string, what: string, atMs: number): string {
  return `inv_${derivedUlid(atMs, `${subscriptionId}\n${what}`)}`;
}

/** What invoices need besides what is decided with them. */
export interface Parties {
  /** The issuer named on invoices; null for none. */
  issuer: NonNullable<InvoiceDoc['issuer']> | null;
  billedTo: InvoiceParty;
}

/** A partner as named on an invoice. */
export const partyOf = ({
  name,
  legalName,
  billingAddress,
  country,
  taxId,
}: PartnerDoc): InvoiceParty => ({
  name: legalName ?? name,
  address: billingAddress ?? null,
  country,
  taxId: taxId ?? null,
});

/**
 * Issues an invoice with the partner's next number, and posts it to the ledger. It keeps the names of
 * issuer and partner as they are now.
 */
export function issueInvoice(
  draft: Draft,
  invoice: InvoiceDraft,
  { issuer, billedTo }: Parties,
  terms: Terms,
): InvoiceDoc {
  const { issuedAt, lines } = invoice;
  const seq = draft.lastInvoice + 1;
  draft.lastInvoice = seq;
  const issued: InvoiceDoc = {
    ...invoice,
    seq,
    issuer,
    billedTo,
    number: `${issuedAt.getUTCFullYear()}-${String(seq).padStart(4, '0')}`,
    totalCents: lines.reduce((total, { amountCents }) => total + amountCents, 0),
    status: 'ISSUED',
    paymentStatus: 'DUE',
    dueAt: new Date(issuedAt.getTime() + dueAfterMs),
  };
  draft.insert('invoices', issued);
  oweInvoice(draft, issued, terms);
  draft.announce(invoiceFact(issued));
  return issued;
}

const invoiceFact = ({ _id, partnerId, issuedAt, ...invoice }: InvoiceDoc): WebhookFact => ({
  type: 'invoice.issued',
  partnerId,
  mode: 'LIVE',
  at: issuedAt,
  fact: _id,
  rewardId: null,
  sequence: null,
  data: {
    invoiceId: _id,
    number: invoice.number,
    kind: invoice.kind,
    totalCents: invoice.totalCents,
    currency: invoice.currency,
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    dueAt: invoice.dueAt,
  },
});
