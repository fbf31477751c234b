import Joi from 'joi';
import { execute } from '../../../operations/execute.ts';
import { approveGoLive, requestGoLive, returnGoLive } from '../../../operations/go-live.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import { readGoLiveRequest } from '../../../views/go-live.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { goLiveRequestPage } from '../../pages/admin/go-live.ts';
import { nameEvidence } from '../../routing/name-ids.ts';
import type { Routes } from '../../routing/route-table.ts';

const returnSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });
const ofPartner = {
  path: '/admin/partners/:partnerId/go-live',
  params: { partnerId: 'partner' },
  audience: 'operator',
} as const;
const approving = {
  ...ofPartner,
  path: `${ofPartner.path}/approve`,
  permission: 'partner.approve-go-live',
  secondFactor: true,
} as const;
const returning = {
  ...ofPartner,
  path: `${ofPartner.path}/return`,
  permission: 'partner.return-go-live',
} as const;
const requesting = {
  ...ofPartner,
  path: `${ofPartner.path}/request`,
  permission: 'partner.request-go-live',
} as const;

/** A partner’s go-live request: evidence for each condition, and the decision. */
export function operatorGoLivePages(routes: Routes): void {
  routes.page({ ...ofPartner, permission: 'read' }, showGoLive);
  routes.action(approving, { schema: Joi.object({}), act: approve });
  routes.action(returning, { schema: returnSchema, act: sendBack, retry: showGoLive });
  routes.action(requesting, { schema: Joi.object({}), act: request });
}

async function showGoLive(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await readGoLiveRequest(deps, param(ctx, 'partnerId'));
  const evidence = found.checklist.items.flatMap(({ evidence }) => evidence);
  await nameEvidence(ctx, deps, found.partner, evidence);
  const takesTwo = needsApproval(deps.config, approveGoLive, {});
  render(
    ctx,
    goLiveRequestPage(ctx, found, { needsApproval: takesTwo, nowMs: deps.now(), filled }),
  );
}

async function approve(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const executed = await execute(deps, approveGoLive, actorOf(ctx), { partnerId });
  await whenDone(ctx, executed, ({ name }) =>
    redirect(ctx, operatorPaths.PARTNER + partnerId, `${name} is live.`),
  );
}

async function sendBack(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reason }: { reason: string },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  await execute(deps, returnGoLive, actorOf(ctx), { partnerId, reason });
  redirect(ctx, operatorPaths.PARTNER + partnerId, 'Sent back. The partner sees your notes.');
}

async function request(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  await execute(deps, requestGoLive, actorOf(ctx), { partnerId });
  redirect(ctx, `${operatorPaths.PARTNER}${partnerId}/go-live`, 'Go-live requested.');
}
