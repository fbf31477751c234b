import type { Interval, PeriodTerms } from '../../domain/billing.ts';
import { owedCentsOf, paymentStatusAt } from '../../domain/invoice.ts';
import { microsText } from '../../domain/money.ts';
import type { ReviewReason } from '../../domain/review.ts';
import type { InvoiceSheet } from '../../models/billing/index.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import {
  badge,
  code,
  type Definition,
  definitions,
  linkButton,
  notice,
  printButton,
  section,
  table,
} from './components.ts';
import {
  away,
  day,
  type Html,
  html,
  money,
  nothing,
  type Part,
  pointsWords,
  time,
} from './format.ts';

/** An invoice for display and print, on one sheet. */
export function invoiceCard(sheet: InvoiceSheet): Html {
  const { issuer, billedTo, total, due, vat, terms, payment } = sheet;
  return html`<section class="card invoice" aria-label="${sheet.title}">
<div class="invoice-head">${issuer ? party('From', issuer) : nothing}${party('Billed to', billedTo)}
<div class="invoice-total"><p class="muted">Total</p><p class="metric-value number">${total}</p>${due === null ? nothing : html`<p>Due on ${due}</p>`}</div></div>
${definitions(sheet.entries)}
<div class="scroll invoice-lines" role="region" aria-label="Lines" tabindex="0"><table><caption class="hidden">Lines</caption>
<thead><tr><th scope="col">Description</th><th scope="col" class="cell-number">Amount</th></tr></thead>
<tbody>${sheet.lines.map(
    ({ description, amount }) =>
      html`<tr><td>${description}</td><td class="cell-number">${amount}</td></tr>`,
  )}</tbody>
<tfoot>${vat === null ? nothing : html`<tr><td>${vat.text}</td><td class="cell-number">${vat.amount}</td></tr>`}<tr><th scope="row">Total</th><td class="cell-number"><strong>${total}</strong></td></tr></tfoot></table></div>
${terms === null ? nothing : html`<p class="muted">${terms}</p>`}
${payment.length === 0 ? nothing : html`<p><strong>Payment</strong>${lines(payment)}</p>`}
</section>`;
}

const party = (title: string, { name, lines: rest }: InvoiceSheet['billedTo']): Html =>
  html`<div><p class="muted">${title}</p><p><strong>${name}</strong>${lines(rest)}</p></div>`;

const lines = (texts: readonly string[]): Part => texts.map((text) => html`<br>${text}`);

/** What was paid of an invoice and what is left, or the credit note that took it back. */
export function paymentsSection(invoice: InvoiceDoc, now: Date, path: string): Html {
  const { currency, payments, reversals, paidCents, creditNote, paymentReference } = invoice;
  const leftCents = owedCentsOf(invoice);
  return section(
    'Payment',
    definitions([
      ['State', badge(paymentStatusAt(invoice, now))],
      ['Paid', money(paidCents, currency)],
      ['Left to pay', money(leftCents, currency)],
      ...(leftCents > 0
        ? [['Reference of the transfer', code(paymentReference, { canCopy: true })] as const]
        : []),
      ...(creditNote === null
        ? []
        : [['Credit note', html`<a href="${path}/credit-note">${creditNote.number}</a>`] as const]),
    ]),
    table({
      caption: 'Payments',
      columns: {
        'Paid on': ({ paidOn }) => day(new Date(paidOn)),
        Reference: ({ reference }) => reference,
        Amount: { number: ({ amountCents }) => money(amountCents, currency) },
        Reversed: reversals.length > 0 && {
          text: ({ reference }) => {
            const reversal = reversals.find((one) => one.reference === reference);
            return reversal ? html`${time(reversal.reversedAt)}: ${reversal.reason}` : nothing;
          },
        },
      },
      rows: payments.toSorted((one, other) => one.paidOn.localeCompare(other.paidOn)),
      empty: nothing,
    }),
  );
}

/** Prints an invoice, or downloads its PDF. @param path of the PDF */
export const invoiceActions = (path: string): Html =>
  html`${printButton()} ${linkButton(path, 'Download PDF', 'secondary')}`;

/** What a plan costs and includes in a whole period. */
export const planFacts = (
  list: PeriodTerms,
  interval: Interval,
  currency: string,
): Definition[] => [
  [interval === 'YEAR' ? 'Price per year' : 'Price per month', money(list.priceCents, currency)],
  ['Included per period', pointsWords(list.includedPoints)],
  ['Each extra point', microsText(list.overageRateMicrosPerPoint, currency)],
];

/** What the current period costs and includes if the plan changed during it; otherwise nothing. */
export function proratedFacts(
  list: PeriodTerms,
  terms: PeriodTerms,
  currency: string,
): Definition[] {
  const { priceCents, includedPoints, overageRateMicrosPerPoint } = terms;
  if (priceCents === list.priceCents && includedPoints === list.includedPoints) return [];
  return [
    [
      'Included in this period',
      html`${pointsWords(includedPoints)}, because the plan changed during the period`,
    ],
    [
      'Price of this period',
      html`${money(priceCents, currency)} at its start; the upgrade is invoiced separately`,
    ],
    ['Each extra point in this period', microsText(overageRateMicrosPerPoint, currency)],
  ];
}

export const reasonWords: Readonly<Record<ReviewReason, string>> = {
  GOODS_RETURNED: 'Goods returned',
  ORDER_CANCELLED: 'Order cancelled',
  PAYMENT_REVERSED: 'Payment reversed',
  FRAUD: 'Fraud',
  REFUND_IN_ERROR: 'Refund reported in error',
  NOT_CONFIRMED: 'Refund not confirmed by the partner',
  GOODWILL: 'Goodwill towards the customer',
  OTHER: 'Something else',
  POLICY: 'Refund policy',
};

/** When an open review is due or that it is overdue; for a decided one, its verdict. */
export function dueBadge(
  { status, dueAt, decision }: Pick<ReviewDoc, 'status' | 'dueAt' | 'decision'>,
  nowMs: number,
): Html {
  if (status === 'DECIDED') {
    return decision?.verdict === 'UPHOLD' ? badge('DONE', 'Upheld') : badge('QUIET', 'Dismissed');
  }
  if (status === 'BY_POLICY') return badge('QUIET', 'Decided by policy');
  return dueAt.getTime() < nowMs
    ? badge('FAILED', `Overdue, ${away(dueAt, nowMs)}`)
    : badge('OPEN', `Due ${away(dueAt, nowMs)}`);
}

/** For forms that only propose their action. */
export const approvalNotice = () =>
  notice(
    'info',
    'This needs two operators: you propose it, and another one approves it within a day.',
  );
