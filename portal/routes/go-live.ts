import Joi from 'joi';
import { isFresh } from '../../domain/partners.ts';
import { readGoLive } from '../../models/views/go-live.ts';
import { execute } from '../../operations/execute.ts';
import { requestGoLive } from '../../operations/go-live.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { goLivePage, requestGoLivePage } from '../html/pages/go-live.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';

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
