import Joi from 'joi';
import { execute } from '../../operations/execute.ts';
import { addPasskey, givePasskey, removePasskey } from '../../operations/passkeys.ts';
import { relyingPartyOf } from '../../platform/passkeys.ts';
import { notice } from '../components/components.ts';
import { field, form, hidden } from '../components/form.ts';
import { html } from '../components/format.ts';
import { noPasskeysHere, passkeyFields } from '../components/passkeys.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { backField, nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { isHalfSignedIn } from '../middleware/access.ts';
import { actorOf } from '../operate.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { continueTo } from '../session/carry-on.ts';
import { reveal } from '../session/reveal.ts';
import { newPasskeyOptions, rememberBrowser, strengthen } from '../session/second-factor.ts';
import { sessionCookie } from '../session/sign-in.ts';
import { redirectToProof, showGive } from './second-factor.ts';

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

const addPath = '/second-factor/passkeys/new';

/** Adding, entering and removing passkeys. */
export function passkeyPages(routes: RoutesOf<'user'>): void {
  routes.page(addPath, showAdd);
  routes.action(addPath, { schema: addSchema, act: add, retry: showAdd });
  routes.action('/second-factor/passkeys/options', { schema: optionsSchema, act: answerOptions });
  routes.action('/second-factor/passkey', { schema: giveSchema, act: give, retry: showGive });
  routes.operation('/account/passkeys/:passkeyId/remove', removePasskey, {
    to: '/account',
    said: 'Passkey removed.',
  });
}

function showAdd(ctx: PageContext<'user'>, deps: PageDeps, filled: Filled = emptyForm): void {
  const to = safePath(filled.values.to ?? ctx.query.to, '/account');
  if (redirectToProof(ctx, deps, to, addPath)) return;
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
  if (redirectToProof(ctx, deps, next, addPath)) return;
  const codes = await execute(deps, addPasskey, actorOf(ctx), {
    sessionId: ctx.state.viewer.session._id,
    name,
    credential: json,
  });
  await rememberBrowser(deps, ctx);
  await strengthen(deps, ctx);
  if (codes.length === 0) return redirect(ctx, next, `The passkey “${name}” was added.`);
  await reveal(deps, ctx, { kind: 'CODES', codes, to: next }, addPath);
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

interface AddOptions {
  /** Whether passkeys work at the portal's address. */
  isOffered: boolean;
  /** The portal's address. */
  url: string;
  /** The page to continue to. */
  to: string;
  filled: Filled;
}

function addPasskeyPage(
  ctx: PageContext<'user'>,
  { isOffered, url, to, filled }: AddOptions,
): Page {
  return page(
    {
      title: 'Add a passkey',
      lead: 'Your fingerprint, face, device PIN or security key, as your second factor.',
      crumbs: isHalfSignedIn(ctx.state.viewer) ? [] : [['Account', '/account']],
    },
    html`<div class="card narrow">${
      isOffered
        ? form(
            ctx,
            { action: '/second-factor/passkeys/new', submit: 'Add passkey', filled },
            hidden('to', to),
            field({
              name: 'name',
              label: 'Name',
              filled,
              isRequired: true,
              maxLength: 100,
              hint: 'To recognize it by, such as the device or password manager that keeps it.',
              autofocus: true,
            }),
            passkeyFields(
              'ADD',
              'No passkey was added: it was cancelled, took too long, or this device has one already.',
            ),
          )
        : notice('warn', noPasskeysHere(url))
    }<p class="muted after">Or use <a href="/second-factor/enroll?to=${encodeURIComponent(to)}">an authenticator app</a></p></div>`,
  );
}
