import Joi from 'joi';
import { accessTokensOf } from '../../models/access-tokens.ts';
import { createAccessToken } from '../../models/commands/create-access-token.ts';
import { revokeAccessToken } from '../../models/commands/revoke-access-token.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { nameField } from '../fields.ts';
import { emptyForm, type Filled } from '../forms.ts';
import { emptyState, linkButton, section, table } from '../html/components.ts';
import { field, form, select } from '../html/form.ts';
import { day, time } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { view } from '../html/view.ts';
import { nothingHere } from '../middleware/well-formed.ts';
import { reveal } from '../reveal.ts';
import type { Routes } from '../route-table.ts';

const crumbs = [['Account', '/account']] as const;
const lives = [7, 30, 90] as const;

const schema = Joi.object<{ name: string; days: number }>({
  name: nameField.required(),
  days: Joi.number()
    .valid(...lives)
    .required()
    .messages({ 'any.required': 'Choose how long.', 'any.only': 'Choose one of these.' }),
});

/** A user's own tokens for the terminal: what they are, and how one more is made. */
export function accessTokenPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;
  // It outlives the browser's session: so whoever makes one proves again who they are.
  const creating = {
    path: '/account/access-tokens/new',
    audience: 'partner',
    permission: 'read',
    secondFactor: true,
  } as const;

  async function showNew(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Promise<void> {
    view(
      ctx,
      {
        ...{ title: 'New access token', crumbs },
        lead: 'For the command on your machine: it reads your log and, where your role may, moves TEST rewards. It sends no purchase and changes nothing that is LIVE.',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: creating.path, submit: 'Make the token', filled },
        field({
          ...{ name: 'name', label: 'What it is for', filled, isRequired: true, maxLength: 100 },
          hint: 'The machine that you keep it on, for instance.',
        }),
        select({
          ...{ name: 'days', label: 'It holds', filled, chosen: '30' },
          choices: lives.map((days) => ({ value: String(days), text: `${days} days` })),
        }),
      )}</div>`,
    );
  }

  routes.page(creating, (ctx) => showNew(ctx));
  routes.action(creating, {
    schema,
    async act(ctx, { name, days }) {
      const { partner, user } = ctx.state.viewer;
      const partnerId = partner._id;
      const { token, accessToken } = await deed(
        deps,
        ctx,
        { action: 'own-access-token.create', partnerId, targetId: null, details: { days } },
        () => createAccessToken(deps, { partnerId, userId: user._id, name, days }),
        (made) => ({ targetId: made.accessToken._id }),
      );
      const what = { kind: 'ACCESS_TOKEN', name: accessToken.name, token } as const;
      await reveal(deps, ctx, what, '/account');
    },
    retry: showNew,
  });

  routes.action(
    {
      path: '/account/access-tokens/:accessTokenId/revoke',
      params: { accessTokenId: 'accessToken' },
      audience: 'user',
      permission: null,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: userId, partnerId } = ctx.state.viewer.user;
        const targetId = param(ctx, 'accessTokenId');
        if (!(await models.accessTokens.exists({ _id: targetId, userId }))) throw nothingHere();
        await deed(deps, ctx, { action: 'own-access-token.revoke', partnerId, targetId }, () =>
          revokeAccessToken(deps, userId, targetId),
        );
        redirect(ctx, '/account', 'That access token is revoked.');
      },
    },
  );
}

/** The tokens of who is signed in, as a part of the page of their account. */
export async function accessTokenSection(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
): Promise<Html> {
  return section(
    'Access tokens',
    html`<p class="muted">For <code>npm run partner -- listen</code> and its like in your terminal. They may what your role may, and end when your password is changed.</p>`,
    table({
      caption: 'Access tokens',
      columns: [
        { heading: 'For', cell: ({ name }) => name },
        { heading: 'Made', cell: ({ createdAt }) => day(createdAt) },
        { heading: 'Ends', cell: ({ expiresAt }) => day(expiresAt) },
        { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
        { heading: 'From', cell: ({ lastUsedFrom }) => lastUsedFrom ?? '–' },
        {
          heading: '',
          cell: ({ _id }) =>
            form(ctx, {
              ...{ action: `/account/access-tokens/${_id}/revoke`, submit: 'Revoke' },
              ...{ isInline: true, isDangerous: true },
            }),
        },
      ],
      rows: await accessTokensOf(deps, ctx.state.viewer.user._id),
      empty: emptyState('None', 'A token lets the command on your machine read your log.'),
    }),
    html`<p class="after">${linkButton('/account/access-tokens/new', 'New access token', 'secondary')}</p>`,
  );
}
