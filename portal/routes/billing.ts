import { pageSchema } from '../../http/paging.ts';
import { readBilling, readInvoice } from '../../models/views/billing.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { billingPage, invoicePage } from '../html/pages/billing.ts';
import { render } from '../html/view.ts';
import { orNotFound } from '../middleware/well-formed.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const ofPartner = { audience: 'partner', permission: 'read' } as const;

/** What the partner pays for: plan, wallet and invoices. */
export function billingPages(routes: Routes): void {
  routes.page({ ...ofPartner, path: '/billing' }, showBilling);
  routes.page(
    { ...ofPartner, path: '/invoices/:invoiceId', params: { invoiceId: 'invoice' } },
    showInvoice,
  );
}

async function showBilling(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, billingPage(ctx, await readBilling(deps, ownScope(ctx), queryOf(ctx, pageSchema))));
}

async function showInvoice(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = orNotFound(await readInvoice(deps, ownScope(ctx), param(ctx, 'invoiceId')));
  render(ctx, invoicePage(ctx.state.viewer.partner, found));
}
