import { Router } from '@koa/router';
import Joi from 'joi';
import { isFresh } from '../../domain/partners.ts';
import { createHealth } from '../../http/health.ts';
import { readLiveHome, readTestHome } from '../../models/views/console.ts';
import { readGoLive, readSetUp } from '../../models/views/go-live.ts';
import type { PartnerScope } from '../../models/views/partner-scope.ts';
import { countUnanswered } from '../../models/views/reviews.ts';
import { readMonths } from '../../models/views/usage.ts';
import { execute } from '../../operations/execute.ts';
import { requestGoLive } from '../../operations/go-live.ts';
import { render } from '../components/view.ts';
import { type PageContext, type PortalState, redirect } from '../context.ts';
import type { PageDeps, PortalDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { goLivePage, requestGoLivePage } from '../pages/go-live.ts';
import { dashboardPage, type LiveNow, setUpPage, testHomePage } from '../pages/home.ts';
import { modeOf } from '../routing/modes.ts';
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

const requesting = {
  path: '/go-live/request',
  audience: 'partner',
  permission: 'partner.request-go-live',
  secondFactor: true,
} as const;

/** The go-live checklist and request. */
export function goLivePages(routes: Routes): void {
  routes.page({ path: '/go-live', audience: 'partner', permission: 'read' }, showGoLive);
  routes.page(requesting, showRequest);
  routes.action(requesting, { schema: Joi.object({}), act: request, retry: showRequest });
}

async function showGoLive(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner, session } = ctx.state.viewer;
  const isConfirmed = isFresh(session.secondFactorAt, deps.now());
  render(ctx, goLivePage(ctx, await readGoLive(deps, partner), isConfirmed));
}

async function showRequest(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const goLive = await readGoLive(deps, ctx.state.viewer.partner);
  render(ctx, requestGoLivePage(ctx, goLive, filled));
}

async function request(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, requestGoLive, actorOf(ctx), { partnerId });
  redirect(ctx, '/go-live', 'Go-live requested. An operator will review it.');
}

/** Health checks for load balancers: the process is up, and reaches MongoDB. */
export function createHealthRouter(deps: PortalDeps): Router<PortalState> {
  const router = new Router<PortalState>();
  const { healthz, readyz } = createHealth(deps);
  router.get('/healthz', healthz);
  router.get('/readyz', readyz);
  return router;
}
