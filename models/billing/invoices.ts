import { planReceivable, revenue } from '../../domain/accounts.ts';
import type { InvoiceParty } from '../../domain/invoice-parties.ts';
import { invoice as invoicePostings } from '../../domain/postings.ts';
import type { Config } from '../../platform/config.ts';
import { derivedUlid } from '../../platform/ids.ts';
import { type Ledger, references } from '../ledger/index.ts';
import type { InvoiceDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { insertNext } from '../store/insert-next.ts';

const dueAfterMs = 14 * 24 * 3_600_000;
const maxRaces = 20;

/** Posts an invoice to the ledger, once; an invoice of zero posts nothing. */
export async function postInvoice(
  ledger: Ledger,
  { _id, partnerId, totalCents, issuedAt }: InvoiceDoc,
): Promise<void> {
  await ledger.live.append({
    partnerId,
    reference: references.invoice(_id),
    rewardId: null,
    at: issuedAt,
    accounts: [planReceivable, revenue],
    decide: () => ({ kind: 'INVOICE', postings: invoicePostings(totalCents) }),
  });
}

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

export interface IssuingDeps {
  models: Models;
  /** The issuer named on invoices; absent for none. */
  config?: Pick<Config, 'issuer'>;
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
 * Issues an invoice, once: a repeat returns the existing one. Numbers are consecutive within a
 * partner. The invoice stores the names of issuer and partner at the time.
 * @throws Error if every attempt lost the race for the number
 */
export async function issueInvoice(
  { models, config }: IssuingDeps,
  draft: InvoiceDraft,
): Promise<InvoiceDoc> {
  const { partnerId, _id, issuedAt } = draft;
  const billedTo = partyOf(await models.partners.findById(partnerId).orFail());
  return await insertNext({
    newest: () => models.invoices.findOne({ partnerId }).sort({ seq: -1 }),
    next(newest): InvoiceDoc {
      const seq = (newest?.seq ?? 0) + 1;
      return {
        ...draft,
        seq,
        issuer: config?.issuer ?? null,
        billedTo,
        number: `${issuedAt.getUTCFullYear()}-${String(seq).padStart(4, '0')}`,
        totalCents: draft.lines.reduce((total, { amountCents }) => total + amountCents, 0),
        status: 'ISSUED',
        paymentStatus: 'DUE',
        dueAt: new Date(issuedAt.getTime() + dueAfterMs),
      };
    },
    insert: (invoice) => models.invoices.create(invoice),
    existing: () => models.invoices.findOne({ partnerId, _id }),
    maxRaces,
    allLost: () => new Error(`too many invoices of ${partnerId} at once`),
  });
}
