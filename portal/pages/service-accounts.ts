import { type Mode, modes } from '../../domain/mode.ts';
import {
  accessState,
  maxServiceAccounts,
  type ServiceAccountScope,
  serviceAccountScopes,
} from '../../domain/partners.ts';
import type { ServiceAccountDoc } from '../../models/schemas/integrations.ts';
import { badge, code, codeBlock, facts, notice, section, table } from '../components/components.ts';
import { confirm, field, form, select, tickList } from '../components/form.ts';
import { type Html, html, lastUseOf, nothing, time } from '../components/format.ts';
import { keyCrumbs } from '../components/keys.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';

/** The validity periods to choose from, in days. */
export const serviceAccountDays = ['30', '90', '365', 'never'] as const;

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

export function newServiceAccountPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  filled: Filled,
): Page {
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

export function serviceAccountPage(
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
    facts([
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
