import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partners.ts';
import { pageSchema } from '../../http/query.ts';
import { execute } from '../../operations/execute.ts';
import {
  changeUserRole,
  inviteUser,
  removeUser,
  resetUserFactor,
  revokeInvitation,
} from '../../operations/users.ts';
import { readTeam, readTeamUser } from '../../views/account.ts';
import { readOwnAuditLog } from '../../views/audit-log.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emailField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { auditLogPage, teamPage, teamUserPage } from '../pages/team.ts';
import { nameIds } from '../routing/name-ids.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const roleField = Joi.string()
  .valid(...partnerRoles)
  .required()
  .messages({ 'any.only': 'Choose a role.', 'any.required': 'Choose a role.' });
const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: roleField,
});
const roleSchema = Joi.object<{ role: PartnerRole }>({ role: roleField });

// An invited user or a new owner sets up a second factor of their own, which then gives access to LIVE.
const inviting = {
  path: '/team/invite',
  audience: 'partner',
  permission: 'user.invite',
  secondFactor: true,
} as const;
const revoking = {
  path: '/team/invitations/:invitationId/revoke',
  params: { invitationId: 'invitation' },
  audience: 'partner',
  permission: 'user.invite',
} as const;
const ofUser = {
  path: '/team/users/:userId',
  params: { userId: 'user' },
  audience: 'partner',
} as const;

/** A partner's users, invitations and roles, and what the users did. */
export function teamPages(routes: Routes): void {
  const schema = Joi.object({});
  routes.page({ path: '/team', audience: 'partner', permission: 'read' }, showTeam);
  routes.page(
    { path: '/audit-log', audience: 'partner', permission: 'audit-log.read' },
    showAuditLog,
  );
  routes.action(inviting, { schema: inviteSchema, act: invite, retry: showTeam });
  routes.action(revoking, { schema, act: revoke });
  routes.page({ ...ofUser, permission: 'user.change-role' }, showUser);
  routes.action(
    {
      ...ofUser,
      path: '/team/users/:userId/role',
      permission: 'user.change-role',
      secondFactor: true,
    },
    { schema: roleSchema, act: changeRole, retry: showUser },
  );
  routes.action(
    {
      ...ofUser,
      path: '/team/users/:userId/second-factor/reset',
      permission: 'user.reset-second-factor',
      secondFactor: true,
    },
    { schema, act: resetSecondFactor, retry: showUser },
  );
  routes.action(
    {
      ...ofUser,
      path: '/team/users/:userId/remove',
      permission: 'user.remove',
      secondFactor: true,
    },
    { schema, act: remove, retry: showUser },
  );
}

async function showAuditLog(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const log = await readOwnAuditLog(deps, ownScope(ctx), queryOf(ctx, pageSchema));
  const targetIds = log.items.map(({ targetId }) => targetId);
  await nameIds(ctx, deps, targetIds);
  render(ctx, auditLogPage(ctx, log));
}

async function showTeam(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  render(ctx, teamPage(ctx, await readTeam(deps, ownScope(ctx)), filled));
}

async function invite(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  fields: { email: string; role: PartnerRole },
): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  deps.throttle.tryInvitation(user._id);
  await execute(deps, inviteUser, actorOf(ctx), { partnerId: partner._id, ...fields });
  redirect(ctx, '/team', `The invitation to ${fields.email} is on its way.`);
}

async function revoke(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const invitationId = param(ctx, 'invitationId');
  await execute(deps, revokeInvitation, actorOf(ctx), { partnerId, invitationId });
  redirect(ctx, '/team', 'Invitation revoked.');
}

async function showUser(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const user = await readTeamUser(deps, ownScope(ctx), param(ctx, 'userId'));
  render(ctx, teamUserPage(ctx, user, filled));
}

async function changeRole(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { role }: { role: PartnerRole },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const userId = param(ctx, 'userId');
  await execute(deps, changeUserRole, actorOf(ctx), { partnerId, userId, role });
  redirect(ctx, '/team', 'Role changed.');
}

async function resetSecondFactor(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const userId = param(ctx, 'userId');
  await execute(deps, resetUserFactor, actorOf(ctx), { partnerId, userId });
  redirect(ctx, `/team/users/${userId}`, 'Second factor reset.');
}

async function remove(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const userId = param(ctx, 'userId');
  await execute(deps, removeUser, actorOf(ctx), { partnerId, userId });
  redirect(ctx, '/team', 'User removed.');
}
