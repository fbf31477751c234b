import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import {
  accessState,
  maxServiceAccounts,
  type ServiceAccountScope,
  serviceAccountScopes,
} from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import type { ServiceAccountDoc } from '../../models/schemas/integrations.ts';
import {
  createServiceAccount,
  type RevealedServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
} from '../../operations/service-accounts.ts';
import { findOwnServiceAccount } from '../../views/integrations.ts';
import {
  badge,
  code,
  codeBlock,
  definitions,
  notice,
  section,
  table,
} from '../components/components.ts';
import { confirm, field, form, select, tickList } from '../components/form.ts';
import { type Html, html, lastUseOf, nothing, time } from '../components/format.ts';
import { keyCrumbs } from '../components/keys.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';

/** The validity periods to choose from, in days. */
const serviceAccountDays = ['30', '90', '365', 'never'] as const;

interface NewAccount {
  name: string;
  mode: Mode;
  reads: ServiceAccountScope[];
  days: (typeof serviceAccountDays)[number];
}

const newSchema = Joi.object<NewAccount>({
  name: nameField.required(),
  mode: Joi.string()
    .valid(...modes)
    .required()
    .messages({ 'any.required': 'Choose a mode.', 'any.only': 'Choose a mode.' }),
  reads: Joi.array()
    .items(Joi.string().valid(...serviceAccountScopes))
    .single()
    .min(1)
    .unique()
    .required()
    .messages({ 'any.required': 'Select at least one.' }),
  days: Joi.string()
    .valid(...serviceAccountDays)
    .required()
    .messages({ 'any.required': 'Choose a duration.', 'any.only': 'Choose a duration.' }),
});

const base = '/service-accounts';

const path = `${base}/:serviceAccountId`;

/** Service accounts: read-only access for a partner's programs, independent of any person. */
export function serviceAccountPages(routes: RoutesOf<'partner'>): void {
  routes.operation(`${base}/new`, createServiceAccount, {
    page: showNew,
    form: newSchema,
    input: ({ days, ...typed }) => ({ ...typed, days: days === 'never' ? null : Number(days) }),
    done: revealToken,
  });
  routes.page(path, showOne);
  routes.operation(`${path}/rotate`, rotateServiceAccount, { on: showOne, done: revealToken });
  routes.operation(`${path}/revoke`, revokeServiceAccount, {
    to: path,
    said: 'Service account revoked.',
  });
}

async function showOne(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const id = param(ctx, 'serviceAccountId');
  const account = await findOwnServiceAccount(deps, ownScope(ctx), id);
  render(ctx, serviceAccountPage(ctx, account, deps));
}

function showNew(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newServiceAccountPage(ctx, modeOf(ctx), filled));
}

async function revealToken(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { account, token }: RevealedServiceAccount,
): Promise<void> {
  const { _id, name, mode } = account;
  await reveal(deps, ctx, { kind: 'SERVICE_TOKEN', name, mode, token }, `${base}/${_id}`);
}

const crumbs = keyCrumbs;

const scopeWords: Readonly<Record<ServiceAccountScope, string>> = {
  'log:read': 'The request log',
  'rewards:read': 'Rewards, with customer IDs',
};

const pathOfScope: Record<ServiceAccountScope, string> = {
  'log:read': '/events',
  'rewards:read': '/orders',
};

export const mayChangeAccounts = (ctx: PageContext<'partner'>, mode: Mode): boolean =>
  hasPermission(
    ctx.state.viewer,
    mode === 'LIVE' ? 'service-account.live' : 'service-account.change',
  );

function newServiceAccountPage(ctx: PageContext<'partner'>, mode: Mode, filled: Filled): Page {
  return page(
    {
      title: 'New service account',
      crumbs: crumbs(),
      lead: `The next page shows its token once. It can read data but can’t change anything. You can have up to ${maxServiceAccounts} active service accounts.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: '/service-accounts/new',
        submit: 'Create service account',
        filled,
      },
      field({
        name: 'name',
        label: 'Name',
        filled,
        isRequired: true,
        maxLength: 100,
        hint: 'The program that will use it.',
      }),
      select({
        name: 'mode',
        label: 'Mode',
        filled,
        chosen: mode,
        choices: modes.map((value) => ({ value, text: value })),
      }),
      tickList({
        name: 'reads',
        label: 'It reads',
        filled,
        choices: serviceAccountScopes.map((value) => ({
          value,
          text: html`${scopeWords[value]} ${code(value)}`,
        })),
      }),
      select({
        name: 'days',
        label: 'Valid for',
        filled,
        chosen: '365',
        choices: serviceAccountDays.map((value) => ({
          value,
          text: value === 'never' ? 'Until revoked, in TEST only' : `${value} days`,
        })),
      }),
    )}</div>`,
  );
}

function serviceAccountPage(
  ctx: PageContext<'partner'>,
  account: ServiceAccountDoc,
  { config, now }: Pick<PageDeps, 'config' | 'now'>,
): Page {
  const { _id, mode, name, scopes } = account;
  const state = accessState(account, now());
  const isChangeable = state === 'ACTIVE' && mayChangeAccounts(ctx, mode);
  const path = `/service-accounts/${_id}`;
  return page(
    {
      title: name,
      mode,
      crumbs: crumbs(),
    },
    state === 'ACTIVE'
      ? nothing
      : notice('bad', 'This service account has ended and can no longer read anything.'),
    accountSection(account, state),
    tokensSection(ctx, account, isChangeable),
    state === 'ACTIVE'
      ? section('Use it', codeBlock(readingLines(config.portal.url, scopes), 'In a shell'))
      : nothing,
    isChangeable ? revokeSection(ctx, path) : nothing,
  );
}

function accountSection(account: ServiceAccountDoc, state: string): Html {
  const { _id, scopes, tokens, createdAt, expiresAt, revokedAt } = account;
  return section(
    'Service account',
    definitions([
      ['State', badge(state)],
      ['Reads', scopes.map((scope) => html`${code(scope)} `)],
      ['Last used', time(lastUseOf(tokens), 'never')],
      ['Created', time(createdAt)],
      [revokedAt ? 'Revoked' : 'Expires', time(revokedAt ?? expiresAt, 'never')],
      ['ID', code(_id, { canCopy: true })],
    ]),
  );
}

function tokensSection(
  ctx: PageContext<'partner'>,
  { _id, tokens, expiresAt }: ServiceAccountDoc,
  isChangeable: boolean,
): Html {
  return section(
    'Tokens',
    table({
      caption: 'Tokens',
      columns: {
        Created: (token) => time(token.createdAt),
        'Works until': ({ endsAt }) => time(endsAt ?? expiresAt, 'revoked'),
        'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        From: ({ lastUsedFrom }) => lastUsedFrom ?? '–',
      },
      rows: tokens,
    }),
    isChangeable
      ? html`<div class="after">${confirm(ctx, {
          ask: 'Rotate token …',
          isDangerous: false,
          question:
            'The next page shows a new token once. The current one works for another day, so your program can switch without an outage; older ones stop at once. If a token has leaked, revoke the account instead.',
          action: `/service-accounts/${_id}/rotate`,
          submit: 'Create new token',
        })}</div>`
      : nothing,
  );
}

function revokeSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    'Revoke',
    html`<p>Ends the account and its tokens at once. This cannot be undone.</p>`,
    confirm(ctx, {
      action: `${path}/revoke`,
      submit: 'Revoke service account',
      ask: 'Revoke …',
      question: 'The program that uses its token loses access.',
    }),
  );
}

/** @param url of the portal, which also serves programs */
const readingLines = (url: string, scopes: readonly ServiceAccountScope[]): string =>
  scopes
    .map(
      (scope) =>
        `curl -sS '${url}${pathOfScope[scope]}?limit=100' -H "Authorization: Bearer $TOKEN"`,
    )
    .join('\n');
