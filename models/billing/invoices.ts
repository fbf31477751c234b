import { DateTime } from 'luxon';
import { type InvoiceParty, type PeriodTerms, useOf } from '../../domain/billing.ts';
import { countryName } from '../../domain/branding.ts';
import type { Draft } from '../../domain/draft.ts';
import type { Terms } from '../../domain/facts.ts';
import { type InvoiceLine, nextReminderAt, paymentReferenceOf } from '../../domain/invoice.ts';
import { oweInvoice } from '../../domain/invoice-facts.ts';
import { microsText, moneyText } from '../../domain/money.ts';
import { numberText, pointsWords } from '../../domain/numbers.ts';
import { type InvoiceVat, type VatTerms, vatOf } from '../../domain/vat.ts';
import { type Announcement, withoutReward } from '../../domain/webhooks.ts';
import { derivedUlid } from '../../platform/ids.ts';
import type { InvoiceDoc, PlanVersionDoc, SubscriptionDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

const dueAfterMs = 14 * 24 * 3_600_000;

/** An invoice before issuing, which adds its number, parties, total, and how and by when it is paid. */
export type InvoiceDraft = Omit<
  InvoiceDoc,
  | (
      | 'seq'
      | 'number'
      | 'issuer'
      | 'billedTo'
      | 'totalCents'
      | 'vat'
      | 'paymentReference'
      | 'status'
    )
  | ('payments' | 'reversals' | 'paidCents' | 'creditNote' | 'dueAt' | 'reminders' | 'remindAt')
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
  /** The issuer's VAT; null if it charges none. */
  vat: VatTerms | null;
  paymentReferencePrefix: string;
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
  { issuer, billedTo, vat, paymentReferencePrefix }: Parties,
  terms: Terms,
): InvoiceDoc {
  const { issuedAt, lines, partnerId } = invoice;
  const totalCents = lines.reduce((total, { amountCents }) => total + amountCents, 0);
  const dueAt = new Date(issuedAt.getTime() + dueAfterMs);
  const seq = draft.numberInvoice();
  const issued: InvoiceDoc = {
    ...invoice,
    seq,
    issuer,
    billedTo,
    number: `${issuedAt.getUTCFullYear()}-${String(seq).padStart(4, '0')}`,
    totalCents,
    vat: vatOf(vat, billedTo, totalCents),
    paymentReference: paymentReferenceOf(paymentReferencePrefix, partnerId, seq),
    status: 'ISSUED',
    payments: [],
    reversals: [],
    paidCents: 0,
    creditNote: null,
    dueAt,
    reminders: 0,
    remindAt: totalCents === 0 ? null : nextReminderAt({ dueAt }, 0),
  };
  draft.insert('invoices', issued);
  oweInvoice(draft, issued, terms);
  draft.announce(invoiceAnnouncement(issued));
  return issued;
}

const invoiceAnnouncement = ({
  _id,
  partnerId,
  issuedAt,
  ...invoice
}: InvoiceDoc): Announcement => ({
  type: 'invoice.issued',
  partnerId,
  mode: 'LIVE',
  at: issuedAt,
  cause: _id,
  ...withoutReward,
  data: {
    invoiceId: _id,
    number: invoice.number,
    kind: invoice.kind,
    totalCents: invoice.totalCents,
    currency: invoice.currency,
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    dueAt: invoice.dueAt,
    paymentReference: invoice.paymentReference,
  },
});

/** A partner's invoices, the newest first. */
export async function newestInvoices(
  { invoices }: Models,
  partnerId: string,
  limit: number,
): Promise<InvoiceDoc[]> {
  return await invoices.find({ partnerId }).sort({ _id: -1 }).limit(limit);
}

/** An upgrade in the middle of a period. */
export interface Proration {
  changeId: string;
  dueCents: number;
  at: Date;
}

/** Names the plans, with their versions if they are versions of the same plan. */
function upgradeText(from: PlanVersionDoc, to: PlanVersionDoc): string {
  const named = ({ name, version }: PlanVersionDoc) =>
    from.name === to.name ? `${name} (version ${version})` : name;
  return `Upgrade from ${named(from)} to ${named(to)}, prorated`;
}

export function periodInvoiceId({ _id, currentPeriodStart, currentPeriodEnd }: SubscriptionDoc) {
  const what = `PERIOD:${currentPeriodStart.toISOString()}`;
  return invoiceIdOf(_id, what, currentPeriodEnd.getTime());
}

/** What a period costs before credits: the plan's price and the overage. */
export function periodLines(
  terms: PeriodTerms,
  plan: PlanVersionDoc,
  points: number,
): InvoiceLine[] {
  const { overagePoints, overageCents } = useOf(points, terms);
  const price: InvoiceLine = {
    kind: 'PLAN',
    description: `${plan.name}, ${pointsWords(terms.includedPoints)} included`,
    amountCents: terms.priceCents,
  };
  if (overagePoints === 0) return [price];
  return [
    price,
    {
      kind: 'OVERAGE',
      description: `${pointsWords(overagePoints, 'extra ')} at ${microsText(terms.overageRateMicrosPerPoint, plan.currency)}`,
      amountCents: overageCents,
    },
  ];
}

/** @param creditCents used from the subscription's credit, not negative */
export function periodInvoice(
  subscription: SubscriptionDoc,
  plan: PlanVersionDoc,
  lines: InvoiceLine[],
  creditCents: number,
  issuedAt: Date,
): InvoiceDraft {
  const credit: InvoiceLine = {
    kind: 'CREDIT',
    description: 'Credit for points returned from earlier periods',
    amountCents: -creditCents,
  };
  return {
    ...commonFields(subscription, plan),
    _id: periodInvoiceId(subscription),
    kind: 'PERIOD',
    changeId: null,
    terms: subscription.terms,
    lines: creditCents > 0 ? [...lines, credit] : lines,
    issuedAt,
  };
}

export function prorationInvoice(
  subscription: SubscriptionDoc,
  { changeId, dueCents, at }: Proration,
  from: PlanVersionDoc,
  to: PlanVersionDoc,
): InvoiceDraft {
  const line: InvoiceLine = {
    kind: 'PRORATION',
    description: upgradeText(from, to),
    amountCents: dueCents,
  };
  return {
    ...commonFields(subscription, to),
    _id: invoiceIdOf(subscription._id, `PRORATION:${changeId}`, at.getTime()),
    kind: 'PRORATION',
    changeId,
    terms: null,
    lines: [line],
    issuedAt: at,
  };
}

function commonFields(subscription: SubscriptionDoc, plan: PlanVersionDoc) {
  return {
    partnerId: subscription.partnerId,
    subscriptionId: subscription._id,
    planVersionId: plan._id,
    currency: plan.currency,
    periodStart: subscription.currentPeriodStart,
    periodEnd: subscription.currentPeriodEnd,
  };
}

/** An invoice or a credit note as text, the same for its page and its PDF. */
export interface InvoiceSheet {
  title: string;
  /** The amount due, and the due date; null for a credit note. */
  total: string;
  due: string | null;
  /** Null if none was configured when it was issued. */
  issuer: SheetParty | null;
  billedTo: SheetParty;
  entries: readonly (readonly [label: string, text: string])[];
  lines: readonly { description: string; amount: string }[];
  /** What of the total is VAT, or why none is; null if the issuer charges none. */
  vat: { text: string; amount: string } | null;
  /** How the period was billed; null for an upgrade. */
  terms: string | null;
  /** Payment details, in lines; empty if there are none. */
  payment: readonly string[];
}

export interface SheetParty {
  name: string;
  /** Address and tax number, in lines. */
  lines: readonly string[];
}

export const invoiceKindWords: Record<InvoiceDoc['kind'], string> = {
  PERIOD: 'Billing period',
  PRORATION: 'Upgrade within a period',
};

/** @param partner the partner billed, for an invoice that was issued before invoices stored it */
export function invoiceSheet(
  invoice: InvoiceDoc,
  partner: PartnerDoc,
  planName: string | null,
): InvoiceSheet {
  const { _id, number, currency, lines, terms } = invoice;
  const issuer = invoice.issuer ?? null;
  const billedTo = invoice.billedTo ?? partyOf(partner);
  const due = dayText(invoice.dueAt);
  return {
    title: `Invoice ${number}`,
    total: moneyText(invoice.totalCents, currency),
    due,
    issuer: issuer && { name: issuer.name, lines: addressOf(issuer) },
    billedTo: {
      name: billedTo.name,
      lines: addressOf({ ...billedTo, country: billedTo.country && countryName(billedTo.country) }),
    },
    entries: [
      ['Number', number],
      ['Issued', dayText(invoice.issuedAt)],
      ['Due', due],
      ['For', invoiceKindWords[invoice.kind]],
      ['Period', `${dayText(invoice.periodStart)} to ${dayText(invoice.periodEnd)}`],
      ...(planName === null ? [] : [['Plan', planName] as const]),
      ['ID', _id],
    ],
    lines: lines.map(({ description, amountCents }) => ({
      description,
      amount: moneyText(amountCents, currency),
    })),
    vat: vatLine(invoice, invoice.vat?.cents ?? 0),
    terms:
      terms &&
      `The period was billed at ${moneyText(terms.priceCents, currency)}, with ${numberText(terms.includedPoints)} points included and ${microsText(terms.overageRateMicrosPerPoint, currency)} for each point over them. The total overage is rounded down to the cent.`,
    payment: issuer?.paymentDetails
      ? [...issuer.paymentDetails.split('\n'), `Reference: ${invoice.paymentReference}`]
      : [],
  };
}

/** The credit note that takes an invoice back; null if it stands. */
export function creditNoteSheet(
  invoice: InvoiceDoc,
  partner: PartnerDoc,
  planName: string | null,
): InvoiceSheet | null {
  const { creditNote, number, currency, _id } = invoice;
  if (creditNote === null) return null;
  const sheet = invoiceSheet(invoice, partner, planName);
  return {
    ...sheet,
    title: `Credit note ${creditNote.number}`,
    total: moneyText(0 - invoice.totalCents, currency),
    due: null,
    entries: [
      ['Number', creditNote.number],
      ['Issued', dayText(creditNote.issuedAt)],
      ['For invoice', `${number}, issued ${dayText(invoice.issuedAt)}`],
      ['ID', _id],
      ['Reason', creditNote.reason],
    ],
    lines: invoice.lines.map(({ description, amountCents }) => ({
      description,
      amount: moneyText(0 - amountCents, currency),
    })),
    vat: vatLine(invoice, 0 - (invoice.vat?.cents ?? 0)),
    terms: null,
    payment: [],
  };
}

/** @param cents negative on a credit note */
function vatLine({ vat, currency }: InvoiceDoc, cents: number): InvoiceSheet['vat'] {
  if (!vat) return null;
  return { text: vatWords[vat.because ?? 'CHARGED'](vat.rate), amount: moneyText(cents, currency) };
}

const vatWords: Record<NonNullable<InvoiceVat['because']> | 'CHARGED', (rate: number) => string> = {
  CHARGED: (rate) => `Includes ${rate / 100}% VAT`,
  REVERSE_CHARGE: () => 'VAT, reverse charge: the recipient owes the tax',
  OUTSIDE: () => 'No VAT: the recipient is in another country',
};

interface Addressed {
  address: string | null;
  country?: string | null;
  taxId: string | null;
}

const addressOf = ({ address, country, taxId }: Addressed): string[] => [
  ...(address?.split('\n') ?? []),
  ...(country ? [country] : []),
  ...(taxId === null ? [] : [`Tax number: ${taxId}`]),
];

/** The UTC day. */
const dayText = (at: Date): string =>
  DateTime.fromJSDate(at, { zone: 'utc' }).setLocale('en-GB').toFormat('d LLL yyyy');
