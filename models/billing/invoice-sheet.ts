import { DateTime } from 'luxon';
import { countryName } from '../../domain/country-name.ts';
import { microsText, moneyText } from '../../domain/money.ts';
import type { InvoiceDoc } from '../schemas/billing.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { partyOf } from './invoices.ts';

/** An invoice as text, the same for its page and its PDF. */
export interface InvoiceSheet {
  number: string;
  /** The amount due, and the due date. */
  total: string;
  due: string;
  /** Null if none was configured when it was issued. */
  issuer: SheetParty | null;
  billedTo: SheetParty;
  facts: readonly (readonly [label: string, text: string])[];
  lines: readonly { description: string; amount: string }[];
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
    number,
    total: moneyText(invoice.totalCents, currency),
    due,
    issuer: issuer && { name: issuer.name, lines: addressOf(issuer) },
    billedTo: {
      name: billedTo.name,
      lines: addressOf({ ...billedTo, country: countryName(billedTo.country) }),
    },
    facts: [
      ['Number', number],
      ['Issued', dayText(invoice.issuedAt)],
      ['Due', due],
      ['For', invoiceKindWords[invoice.kind]],
      ['Period', `${dayText(invoice.periodStart)} to ${dayText(invoice.periodEnd)}`],
      ...(planName === null ? [] : [['Plan', planName] as const]),
      ['Reference', _id],
    ],
    lines: lines.map(({ description, amountCents }) => ({
      description,
      amount: moneyText(amountCents, currency),
    })),
    terms:
      terms &&
      `The period was billed at ${moneyText(terms.priceCents, currency)}, with ${terms.includedPoints.toLocaleString('en-US')} points included and ${microsText(terms.overageRateMicrosPerPoint, currency)} for each point over them. The total overage is rounded down to the cent.`,
    payment: issuer?.paymentDetails
      ? [...issuer.paymentDetails.split('\n'), `Reference: ${_id}`]
      : [],
  };
}

interface Addressed {
  address: string | null;
  country?: string;
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
