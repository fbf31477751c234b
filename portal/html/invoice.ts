import type { InvoiceSheet } from '../../models/billing/index.ts';
import type { InvoicePdfJob } from '../../models/schemas/jobs.ts';
import type { PageContext } from '../context.ts';
import { facts, linkButton, section } from './components.ts';
import { form } from './form.ts';
import { type Html, html, nothing, type Part } from './html.ts';
import { jobPart } from './job.ts';

/** An invoice for display and print, on one sheet. */
export function invoiceCard(sheet: InvoiceSheet): Html {
  const { issuer, billedTo, total, due, terms, payment } = sheet;
  return html`<section class="card invoice" aria-label="Invoice">
<div class="invoice-head">${issuer ? party('From', issuer) : nothing}${party('Billed to', billedTo)}
<div class="invoice-total"><p class="muted">Total</p><p class="metric-value number">${total}</p><p>Due on ${due}</p></div></div>
${facts(sheet.facts)}
<div class="scroll invoice-lines" role="region" aria-label="Lines" tabindex="0"><table><caption class="hidden">Lines</caption>
<thead><tr><th scope="col">Description</th><th scope="col" class="cell-number">Amount</th></tr></thead>
<tbody>${sheet.lines.map(
    ({ description, amount }) =>
      html`<tr><td>${description}</td><td class="cell-number">${amount}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Total</th><td class="cell-number"><strong>${total}</strong></td></tr></tfoot></table></div>
${terms === null ? nothing : html`<p class="muted">${terms}</p>`}
${payment.length === 0 ? nothing : html`<p><strong>Payment</strong>${lines(payment)}</p>`}
</section>`;
}

const party = (title: string, { name, lines: rest }: InvoiceSheet['billedTo']): Html =>
  html`<div><p class="muted">${title}</p><p><strong>${name}</strong>${lines(rest)}</p></div>`;

const lines = (texts: readonly string[]): Part => texts.map((text) => html`<br>${text}`);

/** The state of an invoice’s PDF: not requested, being created, or ready. @param path of the invoice's page */
export function invoicePdfPart(ctx: PageContext, job: InvoicePdfJob | null, path: string): Html {
  const title = 'PDF';
  const part =
    job === null
      ? section(title, form(ctx, { action: `${path}/pdf`, submit: 'Create PDF' }))
      : jobPart(job, path, 'Creating the PDF', () =>
          section(
            title,
            html`<p>${linkButton(`${path}/invoice.pdf`, 'Download PDF', 'secondary')}</p>`,
          ),
        );
  return html`<div class="screen-only">${part}</div>`;
}
