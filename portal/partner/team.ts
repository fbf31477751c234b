import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import {
  changeUserRole,
  inviteUser,
  removeUser,
  resetUserFactor,
  revokeInvitation,
} from '../../operations/users.ts';
import { readTeam, readTeamUser, type Team } from '../../views/account.ts';
import { type OwnAuditLog, readOwnAuditLog } from '../../views/audit-log.ts';
import { badge, definitions, emptyState, section, table } from '../components/components.ts';
import { confirm, field, form, formBehind, select } from '../components/form.ts';
import { day, exactTime, type Html, html, nothing, time } from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emailField } from '../forms/fields.ts';
import { emptyForm, type Filled, filledWhere } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { nameIds } from '../routing/name-ids.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { auditSentence, nameOfActor } from '../words/audit-words.ts';
import { roleChoices, roleHint } from '../words/words.ts';

const roleField = Joi.string()
  .valid(...partnerRoles)
  .required()
  .messages({ 'any.only': 'Choose a role.', 'any.required': 'Choose a role.' });

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: roleField,
});

const path = '/team/users/:userId';

/** A partner's users, invitations and roles, and what the users did. */
export function teamPages(routes: RoutesOf<'partner'>): void {
  routes.page('/team', showTeam);
  routes.page('/audit-log', showAuditLog, { permission: 'audit-log.read' });
  routes.operation('/team/invite', inviteUser, {
    on: showTeam,
    form: inviteSchema,
    before: ({ state }, { throttle }) => throttle.tryInvitation(state.viewer.user._id),
    to: '/team',
    said: (_made, { email }) => `The invitation to ${email} is on its way.`,
  });
  routes.operation('/team/invitations/:invitationId/revoke', revokeInvitation, {
    to: '/team',
    said: 'Invitation revoked.',
  });
  routes.page(path, showUser, { permission: 'user.change-role' });
  routes.operation(`${path}/role`, changeUserRole, {
    on: showUser,
    form: Joi.object({ role: roleField }),
    to: '/team',
    said: 'Role changed.',
  });
  routes.operation(`${path}/second-factor/reset`, resetUserFactor, {
    on: showUser,
    to: path,
    said: 'Second factor reset.',
  });
  routes.operation(`${path}/remove`, removeUser, {
    on: showUser,
    to: '/team',
    said: 'User removed.',
  });
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

async function showUser(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const user = await readTeamUser(deps, ownScope(ctx), param(ctx, 'userId'));
  render(ctx, teamUserPage(ctx, user, filled));
}

const crumbs = () => [['Team', '/team']] as const;

function teamPage(
  ctx: PageContext<'partner'>,
  { users, invitations }: Team,
  filled: Filled | undefined,
): Page {
  const mayInvite = hasPermission(ctx.state.viewer, 'user.invite');
  return page(
    { title: 'Team', lead: roleHint() },
    section(
      'Users',
      userTable(users, mayInvite),
      mayInvite ? html`<div class="after">${inviteForm(ctx, filled)}</div>` : nothing,
    ),
    invitations.length === 0
      ? nothing
      : section(
          'Invited',
          invitationTable(invitations, ({ _id }) => (mayInvite ? revokeForm(ctx, _id) : nothing)),
        ),
  );
}

function userTable(users: Team['users'], mayInvite: boolean): Html {
  return table({
    caption: 'Users',
    columns: {
      Name: (one: UserDoc) =>
        mayInvite ? html`<a href="/team/users/${one._id}">${one.name}</a>` : one.name,
      Email: ({ email }) => email,
      Role: ({ role }) => badge(role ?? ''),
      // Only those who manage the team see who relies on a password alone.
      'Second factor':
        mayInvite &&
        (({ secondFactor }) => (secondFactor ? 'set up' : html`<span class="muted">no</span>`)),
      Since: ({ createdAt }) => day(createdAt),
    },
    rows: users,
    empty: emptyState('No members', 'This team has no members.'),
  });
}

function invitationTable(
  invitations: Team['invitations'],
  revoke: (invitation: Team['invitations'][number]) => Html,
): Html {
  return table({
    caption: 'Invitations',
    columns: {
      Email: ({ email }) => email,
      Role: ({ role }) => badge(role),
      'Open until': ({ expiresAt }) => time(expiresAt),
      '': revoke,
    },
    rows: invitations,
  });
}

const revokeForm = (ctx: PageContext<'partner'>, invitationId: string): Html =>
  confirm(ctx, {
    ask: 'Revoke …',
    question: 'The link in the email stops working.',
    action: `/team/invitations/${invitationId}/revoke`,
    submit: 'Revoke invitation',
  });

function inviteForm(ctx: PageContext<'partner'>, filled: Filled | undefined): Html {
  const given = filledWhere('email', filled);
  return formBehind(
    ctx,
    {
      ask: 'Invite someone',
      isOpen: given !== emptyForm,
      action: '/team/invite',
      submit: 'Send invitation',
      filled: given,
    },
    html`<p>They get an email with a link, valid for a week.</p>`,
    field({
      name: 'email',
      label: 'Email',
      type: 'email',
      filled: given,
      isRequired: true,
      autocomplete: 'off',
      maxLength: 255,
      hint: 'An address can be on one team only: whoever uses this portal for another company needs a second address.',
    }),
    select({
      name: 'role',
      label: 'Role',
      choices: roleChoices,
      chosen: 'developer',
      filled: given,
    }),
  );
}

function teamUserPage(ctx: PageContext<'partner'>, user: UserDoc, filled: Filled): Page {
  const path = `/team/users/${user._id}`;
  return page(
    { title: user.name, crumbs: crumbs() },
    section(
      'User',
      definitions([
        ['Email', user.email],
        ['Role', badge(user.role ?? '')],
        ['Second factor', user.secondFactor ? 'set up' : 'not set up'],
        ['Since', time(user.createdAt)],
      ]),
    ),
    section(
      'Role',
      form(
        ctx,
        { action: `${path}/role`, submit: 'Save role', filled },
        select({
          name: 'role',
          label: 'Role',
          choices: roleChoices,
          hint: roleHint(),
          chosen: user.role ?? 'viewer',
        }),
      ),
    ),
    resetPart(ctx, user),
    section(
      'Remove',
      confirm(ctx, {
        ask: 'Remove from the team …',
        action: `${path}/remove`,
        submit: 'Remove',
        question: `${user.name} is signed out everywhere immediately.`,
      }),
    ),
  );
}

/** For users who have lost their phone and all recovery codes. */
function resetPart(ctx: PageContext<'partner'>, { _id, name, secondFactor }: UserDoc): Html {
  if (!secondFactor || _id === ctx.state.viewer.user._id) return nothing;
  return section(
    'Second factor',
    confirm(ctx, {
      ask: 'Reset second factor …',
      submit: 'Reset second factor',
      action: `/team/users/${_id}/second-factor/reset`,
      question: `Do this when ${name} has lost both phone and recovery codes, and has told you so in person. They are signed out everywhere, their tokens end, and they are notified by email. Then they set up a new second factor.`,
    }),
  );
}

/** What the team did, newest first. */
function auditLogPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor, nameOf }: OwnAuditLog,
): Page {
  return page(
    { title: 'Audit log', lead: 'What your team did here, newest first.' },
    list(ctx, {
      caption: 'Audit log',
      columns: {
        Action: (entry) => auditSentence(entry),
        State: ({ status }) => badge(status),
        By: ({ actorId }) => nameOfActor(nameOf, actorId),
        About: ({ targetId }) =>
          targetId === null ? nothing : idLink(targetId, ctx.state.nameOf?.get(targetId)),
        When: ({ at }) => exactTime(at),
      },
      rows: items,
      empty: emptyState('Nothing yet', 'Each change that your team makes is recorded here.'),
      nextCursor,
    }),
  );
}
