import Joi from 'joi';
import { retryDue } from '../../../operations/due.ts';
import { execute } from '../../../operations/execute.ts';
import { settleFailedRefund } from '../../../operations/failed-refunds.ts';
import { readConsoleHomeView } from '../../../views/console.ts';
import { render } from '../../components/view.ts';
import { type PageContext, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { actorOf } from '../../operate.ts';
import { alertsPage } from '../../pages/admin/alerts.ts';
import { operatorHomePage } from '../../pages/admin/home.ts';
import type { Routes } from '../../routing/route-table.ts';

const settleSchema = Joi.object<{ waitingId: string }>({
  waitingId: Joi.string().max(400).required(),
});

/** Operators' start page: what needs attention today. */
export function operatorHomePages(routes: Routes): void {
  routes.page({ path: '/admin', audience: 'operator', permission: 'read' }, showToday);
  routes.page({ path: '/admin/alerts', audience: 'operator', permission: 'read' }, (ctx) =>
    render(ctx, alertsPage()),
  );
  routes.action(
    { path: '/admin/due/retry', audience: 'operator', permission: 'due.retry' },
    { schema: Joi.object({}), act: retryAll },
  );
  routes.action(
    { path: '/admin/failed-refunds/settle', audience: 'operator', permission: 'review.decide' },
    { schema: settleSchema, act: settle },
  );
}

async function showToday(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const view = await readConsoleHomeView(deps);
  const takesTwo = deps.config.approvals.isOn;
  render(ctx, operatorHomePage(ctx, view, { nowMs: deps.now(), takesTwo }));
}

async function retryAll(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { retried } = await execute(deps, retryDue, actorOf(ctx), {});
  redirect(ctx, '/admin', retried === 1 ? '1 is tried again.' : `${retried} are tried again.`);
}

async function settle(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  input: { waitingId: string },
): Promise<void> {
  await execute(deps, settleFailedRefund, actorOf(ctx), input);
  redirect(ctx, '/admin', 'Settled.');
}
