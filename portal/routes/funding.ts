import Joi from 'joi';
import { formatCents } from '../../domain/money.ts';
import { readFundingOverview } from '../../models/views/funding.ts';
import { execute } from '../../operations/execute.ts';
import { updatePartner } from '../../operations/partners.ts';
import { maxTopUpCents } from '../../operations/wallets.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { moneyField } from '../forms/money-field.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { fundingPage, thresholdPage } from '../html/pages/funding.ts';
import { render } from '../html/view.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

const changing = {
  path: '/funding/threshold',
  audience: 'partner',
  permission: 'partner.update',
} as const;
const schema = Joi.object<{ threshold: number }>({
  threshold: moneyField('cents', { max: maxTopUpCents / 100 }).required(),
});

/** The partner’s funding: balance, how long it lasts, and how to top up. */
export function fundingPages(routes: Routes): void {
  routes.page({ path: '/funding', audience: 'partner', permission: 'read' }, showFunding);
  routes.page(changing, showThreshold);
  routes.action(changing, { schema, act: saveThreshold, retry: showThreshold });
}

async function showFunding(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await renderWithNext(ctx, deps, fundingPage(ctx, await readFundingOverview(deps, ownScope(ctx))));
}

function showThreshold(ctx: PageContext<'partner'>, _deps: PageDeps, given?: Filled): void {
  const { lowBalanceThresholdCents } = ctx.state.viewer.partner;
  const stored = filledWith({ threshold: formatCents(lowBalanceThresholdCents) });
  render(ctx, thresholdPage(ctx, given ?? stored));
}

async function saveThreshold(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { threshold: lowBalanceThresholdCents }: { threshold: number },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, updatePartner, actorOf(ctx), { partnerId, lowBalanceThresholdCents });
  redirect(ctx, '/funding', 'Threshold saved.');
}
