import type { InvoiceSheet } from '../../models/billing/index.ts';
import type { InvoicePdfJob } from '../../models/schemas/job.ts';
import type { PageContext } from '../context.ts';
import { say } from '../words/say.ts';
import { facts, linkButton, section } from './components.ts';
import { form } from './form.ts';
import { type Html, html, nothing, type Part } from './html.ts';
import { jobPart } from './job.ts';

/** An invoice for display and print, on one sheet. */
export function invoiceCard(sheet: InvoiceSheet): Html {
  const { issuer, billedTo, total, due, terms, payment } = sheet;
  return html`<section class="card invoice" aria-label="${say('invoice.invoice')}">
<div class="invoice-head">${issuer ? party(say('invoice.from'), issuer) : nothing}${party(say('invoice.billedTo'), billedTo)}
<div class="invoice-total"><p class="muted">${say('invoice.total')}</p><p class="metric-value number">${total}</p><p>${say('invoice.dueOn', { due })}</p></div></div>
${facts(sheet.facts)}
<div class="scroll invoice-lines" role="region" aria-label="${say('invoice.lines')}" tabindex="0"><table><caption class="hidden">${say('invoice.lines')}</caption>
<thead><tr><th scope="col">${say('invoice.description')}</th><th scope="col" class="cell-number">${say('common.amount')}</th></tr></thead>
<tbody>${sheet.lines.map(
    ({ description, amount }) =>
      html`<tr><td>${description}</td><td class="cell-number">${amount}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">${say('common.total')}</th><td class="cell-number"><strong>${total}</strong></td></tr></tfoot></table></div>
${terms === null ? nothing : html`<p class="muted">${terms}</p>`}
${payment.length === 0 ? nothing : html`<p><strong>${say('invoice.payment')}</strong>${lines(payment)}</p>`}
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
      ? section(title, form(ctx, { action: `${path}/pdf`, submit: say('invoice.pdf.submit') }))
      : jobPart(job, path, say('invoice.creatingThePdf'), () =>
          section(
            title,
            html`<p>${linkButton(`${path}/invoice.pdf`, say('invoice.downloadPdf'), 'secondary')}</p>`,
          ),
        );
  return html`<div class="screen-only">${part}</div>`;
}
