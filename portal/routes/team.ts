import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { changeUserRole } from '../../models/commands/change-user-role.ts';
import { findUser } from '../../models/commands/find-user.ts';
import { inviteUser } from '../../models/commands/invite-user.ts';
import { removeUser } from '../../models/commands/remove-user.ts';
import { revokeInvitation } from '../../models/commands/revoke-invitation.ts';
import type { UserDoc } from '../../models/schemas/user.ts';
import { newId } from '../../platform/ids.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emailField } from '../fields.ts';
import { emptyForm, type Filled } from '../forms.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../html/components.ts';
import { confirm, field, form, select } from '../html/form.ts';
import { day, time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { view } from '../html/view.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { resetFactor } from '../reset-factor.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';

const roleField = Joi.string()
  .valid(...partnerRoles)
  .required()
  .messages({ 'any.only': 'Choose one of the roles.', 'any.required': 'Choose a role.' });
const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: roleField,
});
const roleSchema = Joi.object<{ role: PartnerRole }>({ role: roleField });

export const roleChoices = partnerRoles.map((value) => ({ value, text: wordsOf(value) }));
export const roleHint =
  'An owner may do everything; a developer neither money nor LIVE keys; a viewer reads.';
const crumbs = [['Team', '/team']] as const;

/** The users of a partner: who they are, who is invited, and what each may do. */
export function teamPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models } = deps;
  const portalUrl = deps.config.portal.url;

  routes.page({ path: '/team', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const partnerId = viewer.partner._id;
    const mayInvite = hasPermission(viewer, 'user.invite');
    const [users, invitations] = await Promise.all([
      models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }).lean(),
      models.invitations.find({ partnerId }).sort({ _id: -1 }).lean(),
    ]);
    view(
      ctx,
      {
        title: 'Team',
        lead: roleHint,
        ...(mayInvite && { actions: linkButton('/team/invite', 'Invite somebody') }),
      },
      section(
        'Users',
        table({
          caption: 'Users',
          columns: [
            {
              heading: 'Name',
              cell: (one: UserDoc) =>
                mayInvite ? html`<a href="/team/users/${one._id}">${one.name}</a>` : one.name,
            },
            { heading: 'E-mail', cell: ({ email }) => email },
            { heading: 'Role', cell: ({ role }) => badge(role ?? '') },
            {
              heading: 'Second factor',
              cell: ({ secondFactor }) =>
                secondFactor ? 'set up' : html`<span class="muted">no</span>`,
            },
            { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
          ],
          rows: users,
          empty: emptyState('Nobody', 'Nobody is in this team.'),
        }),
      ),
      invitations.length === 0
        ? nothing
        : section(
            'Invited',
            table({
              caption: 'Invitations',
              columns: [
                { heading: 'E-mail', cell: ({ email }) => email },
                { heading: 'Role', cell: ({ role }) => badge(role) },
                { heading: 'Open until', cell: ({ expiresAt }) => time(expiresAt) },
                {
                  heading: '',
                  cell: ({ _id }) =>
                    mayInvite
                      ? form(ctx, {
                          ...{ action: `/team/invitations/${_id}/revoke`, submit: 'Take back' },
                          ...{ isInline: true, isDangerous: true },
                        })
                      : nothing,
                },
              ],
              rows: invitations,
              empty: nothing,
            }),
          ),
    );
  });

  async function showInvite(ctx: PageContext<'partner'>, filled: Filled = emptyForm) {
    view(
      ctx,
      { title: 'Invite somebody', crumbs, lead: 'They get a mail with a link, open for a week.' },
      html`<div class="card narrow">${form(
        ctx,
        { action: '/team/invite', submit: 'Send the invitation', filled },
        field({
          ...{ name: 'email', label: 'E-mail', type: 'email', filled, isRequired: true },
          ...{ autocomplete: 'off', maxLength: 255 },
        }),
        select({
          ...{ name: 'role', label: 'Role', choices: roleChoices, chosen: 'developer', filled },
          hint: roleHint,
        }),
      )}</div>`,
    );
  }

  // Whoever is invited, or made an owner, enrolls a second factor of their own, which then opens LIVE.
  const inviting = {
    path: '/team/invite',
    audience: 'partner',
    permission: 'user.invite',
    secondFactor: true,
  } as const;
  routes.page(inviting, (ctx) => showInvite(ctx));
  routes.action(inviting, {
    schema: inviteSchema,
    async act(ctx, fields) {
      const { partner, user } = ctx.state.viewer;
      const partnerId = partner._id;
      throttle.tryInvitation(user._id);
      // The trail keeps the role, never the address.
      const invited = { partnerId, targetId: null, details: { role: fields.role } };
      await deed(
        deps,
        ctx,
        { action: 'user.invite', ...invited },
        () =>
          inviteUser(
            { ...deps, portalUrl },
            { partnerId, ...fields },
            { invitedBy: user._id, invitationId: newId('invitation') },
          ),
        ({ _id: targetId }) => ({ targetId }),
      );
      redirect(ctx, '/team', `The invitation to ${fields.email} is on its way.`);
    },
    retry: showInvite,
  });

  routes.action(
    {
      path: '/team/invitations/:invitationId/revoke',
      params: { invitationId: 'invitation' },
      audience: 'partner',
      permission: 'user.invite',
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const partnerId = ctx.state.viewer.partner._id;
        const targetId = param(ctx, 'invitationId');
        await deed(deps, ctx, { action: 'user.revoke-invitation', partnerId, targetId }, () =>
          revokeInvitation(deps, partnerId, targetId),
        );
        redirect(ctx, '/team', 'The invitation is taken back.');
      },
    },
  );

  async function showUser(ctx: PageContext<'partner'>, filled: Filled = emptyForm) {
    const { partner } = ctx.state.viewer;
    const user = await findUser(models, partner._id, param(ctx, 'userId'));
    const path = `/team/users/${user._id}`;
    view(
      ctx,
      { title: user.name, crumbs },
      section(
        'User',
        facts([
          ['E-mail', user.email],
          ['Role', badge(user.role ?? '')],
          ['Second factor', user.secondFactor ? 'set up' : 'not set up'],
          ['Since', time(user.createdAt)],
        ]),
      ),
      section(
        'Role',
        form(
          ctx,
          { action: `${path}/role`, submit: 'Save the role', filled },
          select({
            ...{ name: 'role', label: 'Role', choices: roleChoices, hint: roleHint },
            chosen: user.role ?? 'viewer',
          }),
        ),
      ),
      resetPart(ctx, user),
      section(
        'Remove',
        confirm(ctx, {
          ...{ ask: 'Remove from the team …', action: `${path}/remove`, submit: 'Remove' },
          question: html`${user.name} is signed out everywhere, at once.`,
        }),
      ),
    );
  }

  /** For who has lost the phone and every recovery code. */
  function resetPart(ctx: PageContext<'partner'>, { _id, name, secondFactor }: UserDoc): Html {
    if (!secondFactor || _id === ctx.state.viewer.user._id) return nothing;
    return section(
      'Second factor',
      confirm(ctx, {
        ...{ ask: 'Reset the second factor …', submit: 'Reset it' },
        action: `/team/users/${_id}/second-factor/reset`,
        question: `Do this when ${name} has lost the phone and the recovery codes, and has told you so in person. They are signed out everywhere, get a mail, and set up another one.`,
      }),
    );
  }

  const ofUser = {
    path: '/team/users/:userId',
    params: { userId: 'user' },
    audience: 'partner',
  } as const;
  routes.page({ ...ofUser, permission: 'user.change-role' }, (ctx) => showUser(ctx));

  routes.action(
    {
      ...ofUser,
      path: '/team/users/:userId/role',
      permission: 'user.change-role',
      secondFactor: true,
    },
    {
      schema: roleSchema,
      async act(ctx, { role }) {
        const partnerId = ctx.state.viewer.partner._id;
        const targetId = param(ctx, 'userId');
        const { role: from } = await findUser(models, partnerId, targetId);
        const details = { from, to: role };
        await deed(deps, ctx, { action: 'user.change-role', partnerId, targetId, details }, () =>
          changeUserRole(deps, partnerId, targetId, role),
        );
        redirect(ctx, '/team', 'The role is changed.');
      },
      retry: showUser,
    },
  );

  routes.action(
    {
      ...ofUser,
      path: '/team/users/:userId/second-factor/reset',
      permission: 'user.reset-second-factor',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const partnerId = ctx.state.viewer.partner._id;
        const user = await findUser(models, partnerId, param(ctx, 'userId'));
        await resetFactor(deps, ctx, { ...user, partnerId });
        redirect(ctx, `/team/users/${user._id}`, 'The second factor is reset.');
      },
      retry: showUser,
    },
  );

  routes.action(
    { ...ofUser, path: '/team/users/:userId/remove', permission: 'user.remove' },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const partnerId = ctx.state.viewer.partner._id;
        const targetId = param(ctx, 'userId');
        await findUser(models, partnerId, targetId);
        await deed(deps, ctx, { action: 'user.remove', partnerId, targetId }, () =>
          removeUser(deps, partnerId, targetId),
        );
        redirect(ctx, '/team', 'The user is removed.');
      },
      retry: showUser,
    },
  );
}
