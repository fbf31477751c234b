import Joi from 'joi';
import { pageSchema } from '../../http/query.ts';
import { readBilling, readInvoice } from '../../models/views/billing.ts';
import { readUsage } from '../../models/views/usage.ts';
import { execute } from '../../operations/execute.ts';
import { startInvoicePdf } from '../../operations/jobs.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { readInvoicePdf, sendInvoicePdf } from '../jobs.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { billingPage, invoicePage, usagePage } from '../pages/billing.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const ofPartner = { audience: 'partner', permission: 'read' } as const;
const ofInvoice = { ...ofPartner, params: { invoiceId: 'invoice' } } as const;

/** Plan, wallet and invoices. */
export function billingPages(routes: Routes): void {
  routes.page({ ...ofPartner, path: '/billing' }, showBilling);
  routes.page({ ...ofInvoice, path: '/invoices/:invoiceId' }, showInvoice);
  routes.action(
    { ...ofInvoice, path: '/invoices/:invoiceId/pdf' },
    { schema: Joi.object({}), act: createPdf },
  );
  routes.page({ ...ofInvoice, path: '/invoices/:invoiceId/invoice.pdf' }, downloadPdf);
}

async function showBilling(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, billingPage(ctx, await readBilling(deps, ownScope(ctx), queryOf(ctx, pageSchema))));
}

async function findOwn(ctx: PageContext<'partner'>, deps: PageDeps) {
  const found = orNotFound(await readInvoice(deps, ownScope(ctx), param(ctx, 'invoiceId')));
  return { found, job: await readInvoicePdf(deps, ownScope(ctx), found.invoice._id) };
}

async function showInvoice(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { found, job } = await findOwn(ctx, deps);
  render(ctx, invoicePage(ctx, found, job));
}

async function createPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { found, job } = await findOwn(ctx, deps);
  const { _id: invoiceId, partnerId } = found.invoice;
  if (!job) await execute(deps, startInvoicePdf, actorOf(ctx), { partnerId, invoiceId });
  redirect(ctx, `/invoices/${invoiceId}`);
}

async function downloadPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { found, job } = await findOwn(ctx, deps);
  sendInvoicePdf(ctx, found.invoice, job);
}

/** Usage of the plan by LIVE rewards: by day, and projected to the end of the period. */
export function usagePages(routes: Routes): void {
  routes.page({ path: '/usage', audience: 'partner', permission: 'read' }, showUsage);
}

async function showUsage(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, usagePage(await readUsage(deps, ownScope(ctx)), ctx.state.viewer.partner.currency));
}
