import { lookUpCustomer, readPartnerCustomer } from '../../models/views/customers.ts';
import {
  partnerRewardsCsv,
  readPartnerRewards,
  readRewardTotals,
} from '../../models/views/rewards.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema } from '../forms/customer-contact.ts';
import { rewardFilterOf, rewardQuerySchema } from '../forms/reward-query.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import {
  findPartnerCustomerPage,
  partnerCustomerPage,
  partnerRewardsPage,
} from '../html/pages/rewards.ts';
import { render } from '../html/view.ts';
import { orNotFound } from '../middleware/well-formed.ts';
import { ownScope } from '../routing/own-scope.ts';
import { filtersOf, queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;
const finding = { ...reading, path: '/find-customer' } as const;

/** A partner's rewards, and the customers behind them. */
export function rewardPages(routes: Routes): void {
  routes.page({ ...reading, path: '/rewards' }, showRewards);
  routes.page({ ...reading, path: '/rewards.csv' }, downloadRewards);
  routes.page(
    { ...reading, path: '/customers/:customerId', params: { customerId: 'customer' } },
    showCustomer,
  );
  routes.page(finding, showFind);
  routes.action(finding, { schema: contactSchema, act: find, retry: showFind });
}

async function showRewards(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const query = filtersOf(ctx, rewardQuerySchema);
  const filter = rewardFilterOf(ctx.state.viewer.partner, query);
  const [rewards, totals] = await Promise.all([
    readPartnerRewards(deps, ownScope(ctx), filter, query),
    readRewardTotals(deps, ownScope(ctx), filter),
  ]);
  render(ctx, partnerRewardsPage(ctx, filter, rewards, totals, deps.now()));
}

function downloadRewards(ctx: PageContext<'partner'>, deps: PageDeps): void {
  const filter = rewardFilterOf(ctx.state.viewer.partner, queryOf(ctx, rewardQuerySchema));
  ctx.set('Content-Disposition', 'attachment; filename="rewards.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = partnerRewardsCsv(deps, ownScope(ctx), filter);
}

async function showCustomer(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const customer = await readPartnerCustomer(deps, ownScope(ctx), param(ctx, 'customerId'));
  render(ctx, partnerCustomerPage(orNotFound(customer), ctx.state.viewer.partner.currency));
}

function showFind(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, findPartnerCustomerPage(ctx, filled));
}

async function find(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const { partner } = ctx.state.viewer;
  const { customerHashKey } = deps.config;
  const found = await lookUpCustomer(deps, customerHashKey, partner, contactOfText(contact));
  if (!found.isKnown)
    throw new FieldError('contact', 'None of your customers has this email or phone.');
  redirect(ctx, `/customers/${found.customerId}`);
}
