import { readConsoleHomeView } from '../../../models/views/console.ts';
import { render } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { operatorHomePage } from '../../pages/admin/home.ts';
import type { Routes } from '../../routing/route-table.ts';

/** Operators' start page: what needs attention today. */
export function operatorHomePages(routes: Routes): void {
  routes.page({ path: '/admin', audience: 'operator', permission: 'read' }, showToday);
}

async function showToday(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const view = await readConsoleHomeView(deps, deps.config);
  const takesTwo = deps.config.approvals.isOn;
  render(ctx, operatorHomePage(ctx, view, { nowMs: deps.now(), takesTwo }));
}
