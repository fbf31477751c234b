import Joi from 'joi';
import { createAccessToken, revokeAccessToken } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { newTokenPage, tokenDays } from '../html/pages/access-tokens.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';

const schema = Joi.object<{ name: string; days: number }>({
  name: nameField.required(),
  days: Joi.number()
    .valid(...tokenDays)
    .required()
    .messages({ 'any.required': 'Choose a duration.', 'any.only': 'Choose a duration.' }),
});

/** A token outlives the session, so creating one needs a recent second factor. */
const creating = {
  path: '/account/access-tokens/new',
  audience: 'partner',
  permission: 'read',
  secondFactor: true,
} as const;
const revoking = {
  path: '/account/access-tokens/:accessTokenId/revoke',
  params: { accessTokenId: 'accessToken' },
  audience: 'user',
  permission: null,
} as const;

/** Users' own access tokens for the terminal. */
export function accessTokenPages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema, act: createToken, retry: showNew });
  routes.action(revoking, { schema: Joi.object({}), act: revokeToken });
}

function showNew(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newTokenPage(ctx, filled));
}

async function createToken(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { name, days }: { name: string; days: number },
): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  const partnerId = partner._id;
  const { token, accessToken } = await execute(deps, createAccessToken, actorOf(ctx), {
    partnerId,
    userId: user._id,
    name,
    days,
  });
  const what = { kind: 'ACCESS_TOKEN', name: accessToken.name, token } as const;
  await reveal(deps, ctx, what, '/account');
}

async function revokeToken(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const accessTokenId = param(ctx, 'accessTokenId');
  await execute(deps, revokeAccessToken, actorOf(ctx), { accessTokenId });
  redirect(ctx, '/account', 'Access token revoked.');
}
