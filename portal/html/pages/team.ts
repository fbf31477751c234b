import type { UserDoc } from '../../../models/schemas/user.ts';
import type { Team } from '../../../models/views/team.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { roleChoices, roleHint } from '../../words/role-words.ts';
import { say } from '../../words/say.ts';
import { badge, emptyState, facts, linkButton, section, table } from '../components.ts';
import { confirm, field, form, select } from '../form.ts';
import { day, time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [[say('team.team'), '/team']] as const;

const factorColumn = () => ({
  heading: say('team.secondFactor'),
  cell: ({ secondFactor }: UserDoc) =>
    secondFactor ? say('team.setUp') : html`<span class="muted">${say('team.no')}</span>`,
});

export function teamPage(ctx: PageContext<'partner'>, { users, invitations }: Team): Page {
  const mayInvite = hasPermission(ctx.state.viewer, 'user.invite');
  return page(
    {
      title: say('team.title'),
      lead: roleHint(),
      ...(mayInvite && { actions: linkButton('/team/invite', say('team.inviteSomeone')) }),
    },
    section(say('team.section.users'), userTable(users, mayInvite)),
    invitations.length === 0
      ? nothing
      : section(
          say('team.section.invited'),
          invitationTable(invitations, ({ _id }) => (mayInvite ? revokeForm(ctx, _id) : nothing)),
        ),
  );
}

function userTable(users: Team['users'], mayInvite: boolean): Html {
  return table({
    caption: say('team.caption'),
    columns: [
      {
        heading: say('common.name'),
        cell: (one: UserDoc) =>
          mayInvite ? html`<a href="/team/users/${one._id}">${one.name}</a>` : one.name,
      },
      { heading: say('common.email'), cell: ({ email }) => email },
      { heading: say('common.role'), cell: ({ role }) => badge(role ?? '') },
      // Only those who manage the team see who relies on a password alone.
      ...(mayInvite ? [factorColumn()] : []),
      { heading: say('common.since'), cell: ({ createdAt }) => day(createdAt) },
    ],
    rows: users,
    empty: emptyState(say('team.empty.title'), say('team.empty.text')),
  });
}

function invitationTable(
  invitations: Team['invitations'],
  revoke: (invitation: Team['invitations'][number]) => Html,
): Html {
  return table({
    caption: say('team.caption.invitations'),
    columns: [
      { heading: say('common.email'), cell: ({ email }) => email },
      { heading: say('common.role'), cell: ({ role }) => badge(role) },
      { heading: say('team.openUntil'), cell: ({ expiresAt }) => time(expiresAt) },
      { heading: '', cell: revoke },
    ],
    rows: invitations,
    empty: nothing,
  });
}

const revokeForm = (ctx: PageContext<'partner'>, invitationId: string): Html =>
  form(ctx, {
    action: `/team/invitations/${invitationId}/revoke`,
    submit: say('team.submit'),
    isInline: true,
    isDangerous: true,
  });

export function invitePage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    { title: say('team.invite.title'), crumbs: crumbs(), lead: say('team.invite.lead') },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/team/invite', submit: say('team.invite.submit'), filled },
      field({
        name: 'email',
        label: say('common.email'),
        type: 'email',
        filled,
        isRequired: true,
        autocomplete: 'off',
        maxLength: 255,
      }),
      select({
        name: 'role',
        label: say('common.role'),
        choices: roleChoices,
        chosen: 'developer',
        filled,
        hint: roleHint(),
      }),
    )}</div>`,
  );
}

export function teamUserPage(ctx: PageContext<'partner'>, user: UserDoc, filled: Filled): Page {
  const path = `/team/users/${user._id}`;
  return page(
    { title: user.name, crumbs: crumbs() },
    section(
      say('team.section.user'),
      facts([
        [say('common.email'), user.email],
        [say('common.role'), badge(user.role ?? '')],
        [say('team.secondFactor'), user.secondFactor ? say('team.setUp') : say('team.notSetUp')],
        [say('common.since'), time(user.createdAt)],
      ]),
    ),
    section(
      say('team.section.role'),
      form(
        ctx,
        { action: `${path}/role`, submit: say('team.user.submit'), filled },
        select({
          name: 'role',
          label: say('common.role'),
          choices: roleChoices,
          hint: roleHint(),
          chosen: user.role ?? 'viewer',
        }),
      ),
    ),
    resetPart(ctx, user),
    section(
      say('team.section.remove'),
      confirm(ctx, {
        ask: say('team.user.ask'),
        action: `${path}/remove`,
        submit: say('team.user.submit.remove'),
        question: say('team.user.question', { name: user.name }),
      }),
    ),
  );
}

/** For users who have lost their phone and all recovery codes. */
function resetPart(ctx: PageContext<'partner'>, { _id, name, secondFactor }: UserDoc): Html {
  if (!secondFactor || _id === ctx.state.viewer.user._id) return nothing;
  return section(
    say('team.section.secondFactor'),
    confirm(ctx, {
      ask: say('team.reset.ask'),
      submit: say('team.reset.submit'),
      action: `/team/users/${_id}/second-factor/reset`,
      question: say('team.reset.question', { name }),
    }),
  );
}
