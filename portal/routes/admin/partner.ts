import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../../domain/partners.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import { readPartnerHealth, readPartnerOverview } from '../../../models/views/partners.ts';
import { execute } from '../../../operations/execute.ts';
import { invitePartner, updatePartner } from '../../../operations/partners.ts';
import { resetUserFactor } from '../../../operations/users.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { emailField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { operatorPaths } from '../../html/links.ts';
import { partnerPage } from '../../html/pages/admin/partner.ts';
import { render } from '../../html/view.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { defaultModeOf } from '../../routing/chosen-mode.ts';
import type { Routes } from '../../routing/route-table.ts';

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: Joi.string()
    .valid(...partnerRoles)
    .default('owner'),
});
const params = { partnerId: 'partner' } as const;
const ofPartner = { path: '/admin/partners/:partnerId', params, audience: 'operator' } as const;
const inviting = {
  ...ofPartner,
  path: `${ofPartner.path}/invite`,
  permission: 'partner.invite',
  secondFactor: true,
} as const;
const resetting = {
  path: `${ofPartner.path}/users/:userId/second-factor/reset`,
  params: { ...params, userId: 'user' },
  audience: 'operator',
  permission: 'user.reset-second-factor',
  secondFactor: true,
} as const;
const changing = {
  ...({ params, audience: 'operator', permission: 'partner.update' } as const),
  secondFactor: true,
};

/** A partner's page, which links to everything about it. */
export function operatorPartnerPages(routes: Routes): void {
  const schema = Joi.object({});
  routes.page({ ...ofPartner, permission: 'read' }, showPartner);
  routes.action(resetting, { schema, act: resetUsersFactor, retry: showPartner });
  routes.action(inviting, { schema: inviteSchema, act: invite, retry: showPartner });
  routes.action({ ...changing, path: `${ofPartner.path}/suspend` }, { schema, act: suspend });
  routes.action({ ...changing, path: `${ofPartner.path}/resume` }, { schema, act: resume });
}

async function showPartner(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const overview = await readPartnerOverview(deps, param(ctx, 'partnerId'));
  const { partner } = overview;
  const health = await readPartnerHealth(deps, partner, defaultModeOf(partner));
  const needsApproval = deps.config.approvals.isOn;
  render(ctx, partnerPage(ctx, overview, { health, needsApproval, filled }));
}

async function resetUsersFactor(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const userId = param(ctx, 'userId');
  await execute(deps, resetUserFactor, actorOf(ctx), { partnerId, userId });
  redirect(ctx, operatorPaths.PARTNER + partnerId, 'Second factor reset.');
}

async function invite(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: { email: string; role: PartnerRole },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const input = { partnerId, ...fields };
  const executed = await execute(deps, invitePartner, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ email }) =>
    redirect(ctx, operatorPaths.PARTNER + partnerId, `The invitation to ${email} is on its way.`),
  );
}

async function suspend(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = await changeStatus(ctx, deps, 'SUSPENDED');
  redirect(ctx, operatorPaths.PARTNER + partnerId, 'Partner suspended.');
}

async function resume(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = await changeStatus(ctx, deps, 'ACTIVE');
  redirect(ctx, operatorPaths.PARTNER + partnerId, 'The partner is active again.');
}

async function changeStatus(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  status: PartnerDoc['status'],
): Promise<string> {
  const partnerId = param(ctx, 'partnerId');
  await execute(deps, updatePartner, actorOf(ctx), { partnerId, status });
  return partnerId;
}
