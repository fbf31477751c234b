import { readLiveDay } from '../../models/views/dashboard.ts';
import { readSetUp } from '../../models/views/set-up.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { dashboardPage, setUpPage } from '../html/pages/home.ts';
import { render } from '../html/view.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

/** Where everybody begins: the set-up list, and once live what matters day by day. */
export function homePages(routes: Routes): void {
  routes.page({ path: '/', audience: 'user', permission: null }, goHome);
  routes.page({ path: '/home', audience: 'partner', permission: 'read' }, showHome);
}

function goHome(ctx: PageContext<'user'>): void {
  redirect(ctx, ctx.state.viewer.kind === 'partner' ? '/home' : '/admin');
}

async function showHome(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { viewer } = ctx.state;
  const isLive = viewer.partner.goLive.state === 'LIVE';
  const [setUp, today] = await Promise.all([
    readSetUp(deps, viewer.partner),
    isLive ? readLiveDay(deps, ownScope(ctx)) : null,
  ]);
  render(ctx, today === null ? setUpPage(viewer, setUp) : dashboardPage(ctx, today, setUp));
}
