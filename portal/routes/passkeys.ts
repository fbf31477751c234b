import Joi from 'joi';
import { execute } from '../../operations/execute.ts';
import { addPasskey, givePasskey, removePasskey } from '../../operations/passkeys.ts';
import { relyingPartyOf } from '../../platform/passkeys.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField, nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { addPasskeyPage } from '../pages/passkeys.ts';
import type { Routes } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { continueTo } from '../session/carry-on.ts';
import { reveal } from '../session/reveal.ts';
import { newPasskeyOptions, rememberBrowser, strengthen } from '../session/second-factor.ts';
import { sessionCookie } from '../session/sign-in.ts';
import { redirectToProof, showGive } from './sign-in.ts';

/** What the browser made of the options, which portal.js requests and enters. */
const credential = Joi.string()
  .max(20_000)
  .required()
  .messages({ 'any.required': 'Your browser used no passkey. Try again.' });

const addSchema = Joi.object<{ name: string; credential: string; to?: string }>({
  name: nameField.required(),
  credential,
  to: backField,
});
const giveSchema = Joi.object<{ credential: string; to?: string }>({ credential, to: backField });
const optionsSchema = Joi.object<{ use: 'ADD' | 'GIVE' }>({
  use: Joi.string().valid('ADD', 'GIVE').required(),
});

const user = { audience: 'user', permission: null } as const;
const adding = { ...user, path: '/second-factor/passkeys/new' } as const;
const removing = {
  ...user,
  path: '/account/passkeys/:passkeyId/remove',
  params: { passkeyId: 'passkey' },
  secondFactor: true,
} as const;

/** Adding, entering and removing passkeys. */
export function passkeyPages(routes: Routes): void {
  routes.page(adding, showAdd);
  routes.action(adding, { schema: addSchema, act: add, retry: showAdd });
  routes.action(
    { ...user, path: '/second-factor/passkeys/options' },
    { schema: optionsSchema, act: answerOptions },
  );
  routes.action(
    { ...user, path: '/second-factor/passkey' },
    { schema: giveSchema, act: give, retry: showGive },
  );
  routes.action(removing, { schema: Joi.object({}), act: remove });
}

function showAdd(ctx: PageContext<'user'>, deps: PageDeps, filled: Filled = emptyForm): void {
  const to = safePath(filled.values.to ?? ctx.query.to, '/account');
  if (redirectToProof(ctx, deps, to, adding.path)) return;
  const { url } = deps.config.portal;
  render(ctx, addPasskeyPage(ctx, { isOffered: relyingPartyOf(url) !== null, url, to, filled }));
}

/** Answers with the options for the browser's `navigator.credentials`. */
async function answerOptions(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { use }: { use: 'ADD' | 'GIVE' },
): Promise<void> {
  deps.throttle.tryPasskey(ctx.state.viewer.user._id, ctx.state.address);
  ctx.body = await newPasskeyOptions(deps, ctx, use);
}

async function add(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { name, credential: json, to }: { name: string; credential: string; to?: string },
): Promise<void> {
  const next = safePath(to, '/account');
  if (redirectToProof(ctx, deps, next, adding.path)) return;
  const codes = await execute(deps, addPasskey, actorOf(ctx), {
    sessionId: ctx.state.viewer.session._id,
    name,
    credential: json,
  });
  await rememberBrowser(deps, ctx);
  await strengthen(deps, ctx);
  if (codes.length === 0) return redirect(ctx, next, `The passkey “${name}” was added.`);
  await reveal(deps, ctx, { kind: 'CODES', codes, to: next }, adding.path);
}

async function give(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { credential: json, to }: { credential: string; to?: string },
): Promise<void> {
  const sessionId = ctx.state.viewer.session._id;
  const token = await execute(deps, givePasskey, actorOf(ctx), { sessionId, credential: json });
  await rememberBrowser(deps, ctx);
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
  continueTo(ctx, safePath(to), token);
}

async function remove(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  await execute(deps, removePasskey, actorOf(ctx), { passkeyId: param(ctx, 'passkeyId') });
  redirect(ctx, '/account', 'Passkey removed.');
}
