import Joi from 'joi';
import type { AccessTokenDoc } from '../../models/schemas/people.ts';
import { createAccessToken, revokeAccessToken } from '../../operations/account.ts';
import { emptyState, linkButton, section, table } from '../components/components.ts';
import { field, form, select } from '../components/form.ts';
import { day, type Html, html, time } from '../components/format.ts';
import { linkIfOpen } from '../components/onward-links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { chosenNumber, nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import type { Routes } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';

/** The validity periods to choose from, in days. */
const tokenDays = [7, 30, 90] as const;

const tokenSchema = Joi.object<{ name: string; days: number }>({
  name: nameField.required(),
  days: chosenNumber(tokenDays)
    .required()
    .messages({ 'any.required': 'Choose a duration.', 'any.only': 'Choose a duration.' }),
});

/** Users' own access tokens for the terminal. */
export function accessTokenPages(routes: Routes): void {
  routes.of('partner').operation('/account/access-tokens/new', createAccessToken, {
    page: showNew,
    form: tokenSchema,
    input: (typed, { state }) => ({ ...typed, userId: state.viewer.user._id }),
    done: (ctx, deps, { token, accessToken: { name } }) =>
      reveal(deps, ctx, { kind: 'ACCESS_TOKEN', name, token }, '/account'),
  });
  routes.of('user').operation('/account/access-tokens/:accessTokenId/revoke', revokeAccessToken, {
    to: '/account',
    said: 'Access token revoked.',
  });
}

function showNew(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newTokenPage(ctx, filled));
}

function newTokenPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: 'New access token',
      crumbs: [['Account', '/account']],
      lead: 'For the command-line client on your machine: it reads your log and, if your role allows it, claims and expires TEST rewards. It cannot send purchases or change anything in LIVE.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/access-tokens/new', submit: 'Create token', filled },
      field({
        name: 'name',
        label: 'Name',
        filled,
        isRequired: true,
        maxLength: 100,
        hint: 'For example, the computer you use it on.',
      }),
      select({
        name: 'days',
        label: 'Valid for',
        filled,
        chosen: '30',
        choices: tokenDays.map((days) => ({
          value: String(days),
          text: `${days} days`,
        })),
      }),
    )}</div>`,
  );
}

/** The viewer's own tokens, as a section of the account page. */
export function accessTokenSection(
  ctx: PageContext<'user'>,
  tokens: readonly AccessTokenDoc[],
): Html {
  return section(
    'Access tokens',
    html`<p class="muted">For <code>node partner-events.mjs listen</code> and similar commands in your terminal. They can read your log and rewards and, if your role allows it, use the TEST clock and receive TEST events. They end when you change your password. ${linkIfOpen(ctx, '/quickstarts#command', 'Get the command')}</p>`,
    table({
      caption: 'Access tokens',
      columns: {
        For: ({ name }) => name,
        Created: ({ createdAt }) => day(createdAt),
        Expires: ({ expiresAt }) => day(expiresAt),
        'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        From: ({ lastUsedFrom }) => lastUsedFrom ?? '–',
        '': ({ _id }) =>
          form(ctx, {
            action: `/account/access-tokens/${_id}/revoke`,
            submit: 'Revoke',
            isInline: true,
            isDangerous: true,
          }),
      },
      rows: tokens,
      empty: emptyState(
        'No access tokens',
        'A token lets the command-line client on your machine read your log.',
      ),
    }),
    html`<p class="after">${linkButton('/account/access-tokens/new', 'New access token', 'secondary')}</p>`,
  );
}
