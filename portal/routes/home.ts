import { readLiveHome, readTestHome } from '../../models/views/console.ts';
import { readSetUp } from '../../models/views/go-live.ts';
import type { PartnerScope } from '../../models/views/partner-scope.ts';
import { countUnanswered } from '../../models/views/reviews.ts';
import { readMonths } from '../../models/views/usage.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { dashboardPage, type LiveNow, setUpPage, testHomePage } from '../html/pages/home.ts';
import { render } from '../html/view.ts';
import { modeOf } from '../routing/chosen-mode.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

/** The start page: the set-up steps and, once live, a daily overview. */
export function homePages(routes: Routes): void {
  routes.page({ path: '/', audience: 'user', permission: null }, redirectHome);
  routes.page({ path: '/home', audience: 'partner', permission: 'read' }, showHome);
}

function redirectHome(ctx: PageContext<'user'>): void {
  redirect(ctx, ctx.state.viewer.kind === 'partner' ? '/home' : '/admin');
}

async function showHome(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { viewer } = ctx.state;
  const isLive = viewer.partner.goLive.state === 'LIVE';
  if (isLive && modeOf(ctx) === 'TEST') {
    const [day, questions] = await Promise.all([
      readTestHome(deps, ownScope(ctx)),
      countUnanswered(deps, ownScope(ctx), 'TEST'),
    ]);
    return render(ctx, testHomePage(ctx, day, questions));
  }
  const [setUp, live, questions] = await Promise.all([
    readSetUp(deps, viewer.partner),
    isLive ? readLive(deps, ownScope(ctx)) : null,
    countUnanswered(deps, ownScope(ctx), isLive ? 'LIVE' : 'TEST'),
  ]);
  render(
    ctx,
    live === null
      ? setUpPage(viewer, setUp, questions)
      : dashboardPage(ctx, live, setUp, questions),
  );
}

async function readLive(deps: PageDeps, partnerId: PartnerScope): Promise<LiveNow> {
  const [today, months] = await Promise.all([
    readLiveHome(deps, partnerId),
    readMonths(deps, partnerId),
  ]);
  return { today, months };
}
