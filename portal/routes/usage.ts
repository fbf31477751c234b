import { readUsage } from '../../models/views/usage.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { usagePage } from '../html/pages/usage.ts';
import { render } from '../html/view.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

/** Usage of the plan by LIVE rewards: by day, and projected to the end of the period. */
export function usagePages(routes: Routes): void {
  routes.page({ path: '/usage', audience: 'partner', permission: 'read' }, showUsage);
}

async function showUsage(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, usagePage(await readUsage(deps, ownScope(ctx)), ctx.state.viewer.partner.currency));
}
