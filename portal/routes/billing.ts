import { pageSchema } from '../../http/query.ts';
import { readInvoice, readInvoices } from '../../views/billing.ts';
import { readUsage } from '../../views/usage.ts';
import { render } from '../components/view.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { sendInvoicePdf } from '../jobs.ts';
import { orNotFound } from '../middleware/form.ts';
import { creditNotePage, invoicePage, invoicesPage, usagePage } from '../pages/billing.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const ofPartner = { audience: 'partner', permission: 'read' } as const;
const creditNotePath = '/invoices/:invoiceId/credit-note';
const ofInvoice = { ...ofPartner, params: { invoiceId: 'invoice' } } as const;

/** Invoices and credit notes. */
export function billingPages(routes: Routes): void {
  routes.page({ ...ofPartner, path: '/invoices' }, showInvoices);
  routes.page({ ...ofInvoice, path: '/invoices/:invoiceId' }, showInvoice);
  routes.page({ ...ofInvoice, path: '/invoices/:invoiceId/invoice.pdf' }, downloadPdf);
  routes.page({ ...ofInvoice, path: creditNotePath }, showCreditNote);
  routes.page({ ...ofInvoice, path: `${creditNotePath}/credit-note.pdf` }, downloadCreditNote);
}

async function showInvoices(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const invoices = await readInvoices(deps, ownScope(ctx), queryOf(ctx, pageSchema));
  render(ctx, invoicesPage(ctx, invoices, new Date(deps.now())));
}

const findOwn = async (ctx: PageContext<'partner'>, deps: PageDeps) =>
  orNotFound(await readInvoice(deps, ownScope(ctx), param(ctx, 'invoiceId')));

async function showInvoice(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, invoicePage(ctx, await findOwn(ctx, deps), new Date(deps.now())));
}

async function downloadPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await sendInvoicePdf(ctx, await findOwn(ctx, deps), ctx.state.viewer.partner);
}

async function showCreditNote(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = await findOwn(ctx, deps);
  orNotFound(found.invoice.creditNote);
  render(ctx, creditNotePage(ctx, found));
}

async function downloadCreditNote(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner } = ctx.state.viewer;
  await sendInvoicePdf(ctx, await findOwn(ctx, deps), partner, 'CREDIT_NOTE');
}

/** The plan and its usage by LIVE rewards: by day, and projected to the end of the period. */
export function usagePages(routes: Routes): void {
  routes.page({ path: '/usage', audience: 'partner', permission: 'read' }, showUsage);
}

async function showUsage(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, usagePage(await readUsage(deps, ownScope(ctx)), ctx.state.viewer.partner.currency));
}
