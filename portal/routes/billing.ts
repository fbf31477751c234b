import Joi from 'joi';
import { pageSchema } from '../../http/query.ts';
import type { InvoiceDocument } from '../../models/schemas/jobs.ts';
import { readInvoice, readInvoices } from '../../models/views/billing.ts';
import { readUsage } from '../../models/views/usage.ts';
import { execute } from '../../operations/execute.ts';
import { startInvoicePdf } from '../../operations/jobs.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { readInvoicePdf, sendPdf } from '../jobs.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
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
  routes.action(
    { ...ofInvoice, path: '/invoices/:invoiceId/pdf' },
    { schema: Joi.object({}), act: createPdf },
  );
  routes.page({ ...ofInvoice, path: '/invoices/:invoiceId/invoice.pdf' }, downloadPdf);
  routes.page({ ...ofInvoice, path: creditNotePath }, showCreditNote);
  routes.action(
    { ...ofInvoice, path: `${creditNotePath}/pdf` },
    { schema: Joi.object({}), act: createCreditNotePdf },
  );
  routes.page({ ...ofInvoice, path: `${creditNotePath}/credit-note.pdf` }, downloadCreditNote);
}

async function showInvoices(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const invoices = await readInvoices(deps, ownScope(ctx), queryOf(ctx, pageSchema));
  render(ctx, invoicesPage(ctx, invoices, new Date(deps.now())));
}

async function findOwn(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  document: InvoiceDocument = 'INVOICE',
) {
  const found = orNotFound(await readInvoice(deps, ownScope(ctx), param(ctx, 'invoiceId')));
  return { found, job: await readInvoicePdf(deps, ownScope(ctx), found.invoice._id, document) };
}

async function showInvoice(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { found, job } = await findOwn(ctx, deps);
  render(ctx, invoicePage(ctx, found, { job, now: new Date(deps.now()) }));
}

async function createPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const invoiceId = await startPdf(ctx, deps, 'INVOICE');
  redirect(ctx, `/invoices/${invoiceId}`);
}

/** @returns the invoice's id */
async function startPdf(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  document: InvoiceDocument,
): Promise<string> {
  const { found, job } = await findOwn(ctx, deps, document);
  const { _id: invoiceId, partnerId } = found.invoice;
  if (!job) await execute(deps, startInvoicePdf, actorOf(ctx), { partnerId, invoiceId, document });
  return invoiceId;
}

async function downloadPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { found, job } = await findOwn(ctx, deps);
  sendPdf(ctx, `invoice-${found.invoice.number}`, job);
}

/** @throws ServiceError NOT_FOUND if the invoice stands */
async function findCreditNote(ctx: PageContext<'partner'>, deps: PageDeps) {
  const { found, job } = await findOwn(ctx, deps, 'CREDIT_NOTE');
  return { found, job, creditNote: orNotFound(found.invoice.creditNote) };
}

async function showCreditNote(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { found, job } = await findCreditNote(ctx, deps);
  render(ctx, creditNotePage(ctx, found, job));
}

async function createCreditNotePdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await findCreditNote(ctx, deps);
  const invoiceId = await startPdf(ctx, deps, 'CREDIT_NOTE');
  redirect(ctx, `/invoices/${invoiceId}/credit-note`);
}

async function downloadCreditNote(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { creditNote, job } = await findCreditNote(ctx, deps);
  sendPdf(ctx, `credit-note-${creditNote.number}`, job);
}

/** The plan and its usage by LIVE rewards: by day, and projected to the end of the period. */
export function usagePages(routes: Routes): void {
  routes.page({ path: '/usage', audience: 'partner', permission: 'read' }, showUsage);
}

async function showUsage(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, usagePage(await readUsage(deps, ownScope(ctx)), ctx.state.viewer.partner.currency));
}
