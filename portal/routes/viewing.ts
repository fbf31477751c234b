import Joi from 'joi';
import { execute } from '../../operations/execute.ts';
import { beginViewing } from '../../operations/viewing.ts';
import { readPartner } from '../../views/partners.ts';
import { operatorPaths } from '../components/links.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { viewAsPage } from '../pages/admin/partners.ts';
import type { Routes } from '../routing/route-table.ts';
import { sessionCookie } from '../session/sign-in.ts';
import { leavePath, leaveView, viewingOperatorOf } from '../session/viewing.ts';

const beginning = {
  path: '/admin/partners/:partnerId/view',
  params: { partnerId: 'partner' },
  audience: 'operator',
  permission: 'partner.view-as',
  secondFactor: true,
} as const;

const schema = Joi.object<{ reason: string }>({
  reason: reasonField.required().messages({ 'any.required': 'Give a reason.' }),
});

/** Starting and ending an operator's view of a partner's portal. */
export function viewingPages(routes: Routes): void {
  routes.page(beginning, showBegin);
  routes.action(beginning, { schema, act: begin, retry: showBegin });
  routes.action(
    { path: leavePath, audience: 'user', permission: null },
    { schema: Joi.object({}), act: leave },
  );
}

async function showBegin(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  render(ctx, viewAsPage(ctx, await readPartner(deps, param(ctx, 'partnerId')), filled));
}

async function begin(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reason }: { reason: string },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const { _id: sessionId } = ctx.state.viewer.session;
  const input = { partnerId, sessionId, reason };
  const { token } = await execute(deps, beginViewing, actorOf(ctx), input);
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
  redirect(ctx, '/home');
}

async function leave(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const { viewer, requestId } = ctx.state;
  const operator = viewingOperatorOf(viewer);
  if (!operator || viewer.kind !== 'partner') return redirect(ctx, '/');
  await leaveView(deps, viewer.session, operator, requestId, 'LEFT');
  redirect(
    ctx,
    operatorPaths.PARTNER + viewer.partner._id,
    'You stopped viewing the partner’s portal.',
  );
}
