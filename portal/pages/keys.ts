import type { Mode } from '../../domain/mode.ts';
import {
  accessState,
  keyExpiresAt,
  keyState,
  liveKeyDays,
  maxActiveSecrets,
} from '../../domain/partners.ts';
import type { CredentialDoc, ServiceAccountDoc } from '../../models/schemas/integrations.ts';
import type { KeyDetails, Keys } from '../../views/integrations.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../components/components.ts';
import { type Choice, confirm, form, select } from '../components/form.ts';
import { day, type Html, html, lastUseOf, nothing, type Part, time } from '../components/format.ts';
import { environment, keyCrumbs, keyLinks } from '../components/keys.ts';
import { keyExpiry, shortKey } from '../components/tables.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { keyPermissions } from '../routing/modes.ts';
import { mayChangeAccounts } from './service-accounts.ts';

/** API keys and the service accounts of programs, in one list. */
export function keysPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { items, nextCursor, nameOf }: Keys,
  accounts: readonly ServiceAccountDoc[],
  nowMs: number,
): Page {
  const { viewer } = ctx.state;
  const generate = hasPermission(viewer, keyPermissions[mode])
    ? linkButton('/keys/new', `Generate ${mode} key`)
    : nothing;
  const create = mayChangeAccounts(ctx, mode)
    ? linkButton('/service-accounts/new', 'New service account', 'secondary')
    : nothing;
  const rows = [
    ...items.map((key) => keyRow(key, nameOf(key.integrationId), nowMs)),
    ...accounts.map((account) => accountRow(account, nowMs)),
  ];
  return page(
    {
      title: 'Keys',
      lead: 'An API key identifies a system that sends events, and its secret signs requests. A service account lets a program of yours read.',
      actions: html`${create}${rows.length === 0 ? nothing : generate}`,
    },
    list(ctx, {
      caption: 'Keys',
      columns: {
        Name: ({ path, name }) => html`<a href="${path}"><span class="clip">${name}</span></a>`,
        State: ({ state }) => badge(state),
        Kind: ({ kind }) => kind,
        For: ({ of }) => html`<span class="clip">${of}</span>`,
        'Last used': ({ lastUsed }) => time(lastUsed, 'never'),
        Expires: ({ expires }) => expires,
      },
      rows,
      empty: emptyState(
        `No ${mode} key yet`,
        'The secret of a key is shown once, so have your secret store ready.',
        generate,
      ),
      nextCursor,
    }),
    keyLinks(ctx, mode),
  );
}

interface KeyRow {
  path: string;
  name: string;
  state: string;
  kind: string;
  /** Its integration, or what it reads. */
  of: string;
  lastUsed: Date | null;
  expires: Part;
}

const keyRow = (key: CredentialDoc, integration: string, nowMs: number): KeyRow => ({
  path: `/keys/${key._id}`,
  name: shortKey(key.apiKey),
  state: keyState(key, nowMs),
  kind: 'API key',
  of: integration,
  lastUsed: lastUseOf(key.secrets),
  expires: keyExpiry(key),
});

const accountRow = (account: ServiceAccountDoc, nowMs: number): KeyRow => ({
  path: `/service-accounts/${account._id}`,
  name: account.name,
  state: accessState(account, nowMs),
  kind: 'Service account',
  of: account.scopes.join(', '),
  lastUsed: lastUseOf(account.tokens),
  expires: account.expiresAt ? day(account.expiresAt) : 'never',
});

/** @param deps.config names the API to which the key is sent */
export function keyPage(
  ctx: PageContext<'partner'>,
  details: KeyDetails,
  { config, now }: Pick<PageDeps, 'config' | 'now'>,
): Page {
  const { key } = details;
  const nowMs = now();
  const { _id, mode, revokedAt } = key;
  const mayChange = hasPermission(ctx.state.viewer, keyPermissions[mode]) && revokedAt === null;
  const path = `/keys/${_id}`;
  return page(
    {
      title: `${mode} key`,
      crumbs: keyCrumbs(),
      mode,
    },
    revokedAt
      ? notice(
          'bad',
          html`This key was revoked on ${time(revokedAt)}. Requests signed with it are refused.`,
        )
      : nothing,
    keyState(key, nowMs) === 'EXPIRED'
      ? notice(
          'bad',
          html`The secrets of this key expired on ${time(keyExpiresAt(key))}. Requests signed with them are refused: rotate the secret, or revoke the key.`,
        )
      : nothing,
    keySection(details),
    secretsSection(ctx, key, mayChange, nowMs),
    revokedAt ? nothing : useSection(ctx, key, config.portal.apiUrl),
    mayChange
      ? section(
          'Revoke key',
          html`<p>Ends the key and all its secrets permanently. Requests signed with it are refused within seconds.</p>`,
          confirm(ctx, {
            ask: 'Revoke key …',
            question: lastUseWords('This key', lastUseOf(key.secrets)),
            action: `${path}/revoke`,
            submit: 'Revoke key',
          }),
        )
      : nothing,
  );
}

function keySection({ key, integrationName }: KeyDetails): Html {
  const { _id, apiKey, integrationId, scopes, secrets, createdAt } = key;
  return section(
    'Key',
    facts([
      ['API key', code(apiKey, { canCopy: true })],
      ['Integration', html`<a href="/integrations/${integrationId}">${integrationName}</a>`],
      ['Scopes', scopes.map((scope) => html`${code(scope)} `)],
      ['Last used', time(lastUseOf(secrets), 'never')],
      ['Created', time(createdAt)],
      ['Expires', keyExpiry(key)],
      ['ID', code(_id, { canCopy: true })],
    ]),
  );
}

function secretsSection(
  ctx: PageContext<'partner'>,
  key: CredentialDoc,
  mayChange: boolean,
  nowMs: number,
): Html {
  const active = key.secrets.filter((secret) => accessState(secret, nowMs) === 'ACTIVE');
  return section(
    'Secrets',
    table({
      caption: 'Secrets',
      columns: {
        Secret: ({ secretId }) => code(secretId),
        State: (secret) => badge(key.revokedAt ? 'REVOKED' : accessState(secret, nowMs)),
        'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        Created: ({ createdAt }) => time(createdAt),
        Expires: ({ expiresAt }) => time(expiresAt, 'never'),
        '': ({ secretId, revokedAt, lastUsedAt, awaitsOwner }) =>
          mayChange && revokedAt === null
            ? html`${awaitsOwner ? showOnce(ctx, `/keys/secrets/${secretId}/show`) : nothing}${confirm(
                ctx,
                {
                  ask: 'Revoke …',
                  question: html`${lastUseWords('This secret', lastUsedAt)} ${active.length === 1 ? 'It is the key’s only secret: without it, the key can’t sign requests. Rotate first to switch over without an outage.' : 'It stops working within seconds, permanently.'}`,
                  action: `/keys/secrets/${secretId}/revoke`,
                  submit: 'Revoke secret',
                },
              )}`
            : nothing,
      },
      rows: key.secrets.toReversed(),
    }),
    html`<p class="muted after">Up to ${maxActiveSecrets} secrets can be active at a time: rotate, switch over, then revoke the old one once it is no longer used.</p>`,
    !mayChange
      ? nothing
      : active.length >= maxActiveSecrets
        ? html`<p>Two secrets are already active. Revoke the one your systems no longer use, then create another.</p>`
        : confirm(ctx, {
            ask: 'Rotate secret …',
            isDangerous: false,
            question:
              'This adds a second secret, and both work. Switch your systems over without an outage, then revoke the old one. The next page shows the new one, once.',
            action: `/keys/${key._id}/rotate`,
            submit: 'Generate new secret',
          }),
  );
}

/** Shows a secret that operators made. */
export const showOnce = (ctx: PageContext<'partner'>, action: string): Html =>
  form(ctx, { action, submit: 'Show the secret, once', isInline: true });

const lastUseWords = (what: string, lastUse: Date | null): Html =>
  lastUse === null
    ? html`${what} has never been used.`
    : html`${what} was last used on ${time(lastUse)}.`;

function useSection(
  ctx: PageContext<'partner'>,
  { apiKey, mode }: KeyDetails['key'],
  apiUrl: string,
): Html {
  return section(
    'Use it',
    codeBlock(environment(apiUrl, apiKey, '<the secret that you stored>'), 'Environment variables'),
    keyLinks(ctx, mode),
  );
}

/** How long a LIVE key can be valid. */
export const keyDays = ['30', '90', '365'] as const;

const titleOf = (mode: Mode): string => `Generate ${mode} key`;

export function noLiveKeyYetPage(): Page {
  return page(
    { title: titleOf('LIVE'), crumbs: keyCrumbs() },
    emptyState(
      'LIVE keys require go-live',
      'They create real rewards, which you pay for, so you can generate them only once your go-live is approved.',
      linkButton('/home', 'See what is missing'),
    ),
  );
}

export function noIntegrationYetPage(mode: Mode): Page {
  return page(
    { title: titleOf(mode), crumbs: keyCrumbs(), mode },
    emptyState(
      'A key belongs to an integration',
      'Create one first: it only needs a name.',
      linkButton('/integrations/new', 'New integration'),
    ),
  );
}

export function newKeyPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  integrations: readonly Choice[],
  filled: Filled,
): Page {
  return page(
    {
      title: titleOf(mode),
      crumbs: keyCrumbs(),
      mode,
      lead: 'The next page shows the secret, once. Have your secret store ready.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/keys/new', submit: `Generate ${mode} key`, filled },
      select({
        name: 'integrationId',
        label: 'Integration',
        filled,
        choices: integrations,
      }),
      select({
        name: 'scopes',
        label: 'The key can',
        filled,
        chosen: 'both',
        hint: 'Events are purchases and refunds. Reading covers plans, usage and billing.',
        choices: [
          { value: 'both', text: 'Send events and read' },
          { value: 'checkout', text: 'Send events, read, and redeem points at the checkout' },
          { value: 'write', text: 'Send events' },
          { value: 'read', text: 'Read' },
        ],
      }),
      mode === 'TEST'
        ? nothing
        : select({
            name: 'days',
            label: 'Valid for',
            filled,
            chosen: String(liveKeyDays.default),
            hint: 'We remind you four weeks before. Each secret that you rotate to is valid as long.',
            choices: keyDays.map((value) => ({ value, text: `${value} days` })),
          }),
    )}</div>`,
  );
}
