import type { Mode } from '../../domain/mode.ts';
import {
  accessState,
  keyExpiresAt,
  keyState,
  liveKeyDays,
  maxActiveSecrets,
} from '../../domain/partners.ts';
import type { CredentialDoc, SecretDoc } from '../../models/schemas/integrations.ts';
import type { KeyDetails, Keys } from '../../models/views/integrations.ts';
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
import { type Choice, form, select } from '../components/form.ts';
import { type Html, html, lastUseOf, nothing, time } from '../components/format.ts';
import { crumbsOf, environment, keyCrumbs, keyLinks } from '../components/keys.ts';
import { keyColumns, keyExpiry } from '../components/tables.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { baseOf, permissionOf } from '../routing/modes.ts';

export function keysPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { items, nextCursor, nameOf }: Keys,
  nowMs: number,
): Page {
  const generate = hasPermission(ctx.state.viewer, permissionOf(mode))
    ? linkButton(`${baseOf(mode)}/new`, `Generate ${mode} key`)
    : nothing;
  return page(
    {
      title: 'API keys',
      lead: 'A key identifies the sender, and its secret signs requests. LIVE keys create real rewards.',
      actions: items.length === 0 ? nothing : generate,
    },
    list(ctx, {
      caption: 'API keys',
      columns: keyColumns(nowMs, nameOf),
      rows: items,
      empty: emptyState(
        `No ${mode} key yet`,
        'The secret of a key is shown once, so have your secret store ready.',
        generate,
      ),
      nextCursor,
    }),
    section('Use your keys', keyLinks(ctx, mode)),
  );
}

/** @param deps.config names the API to which the key is sent */
export function keyPage(
  ctx: PageContext<'partner'>,
  details: KeyDetails,
  { config, now }: Pick<PageDeps, 'config' | 'now'>,
): Page {
  const { key } = details;
  const nowMs = now();
  const { _id, mode, revokedAt } = key;
  const mayChange = hasPermission(ctx.state.viewer, permissionOf(mode)) && revokedAt === null;
  const path = `${baseOf(mode)}/${_id}`;
  return page(
    {
      title: `${mode} key`,
      crumbs: keyCrumbs(),
      mode,
      actions: mayChange
        ? html`${linkButton(`${path}/rotate`, 'Rotate secret', 'secondary')}`
        : nothing,
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
    secretsSection(key, mayChange, nowMs),
    revokedAt ? nothing : useSection(ctx, key, config.portal.apiUrl),
    mayChange
      ? section(
          'Revoke key',
          html`<p>Ends the key and all its secrets permanently. Requests signed with it are refused within seconds.</p>`,
          html`<a class="button danger" href="${path}/revoke">Revoke key …</a>`,
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

function secretsSection(key: KeyDetails['key'], mayChange: boolean, nowMs: number): Html {
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
        '': ({ secretId, revokedAt }) =>
          mayChange && revokedAt === null
            ? html`<a href="${baseOf(key.mode)}/secrets/${secretId}/revoke">Revoke …</a>`
            : nothing,
      },
      rows: key.secrets.toReversed(),
    }),
    html`<p class="muted after">Up to ${maxActiveSecrets} secrets can be active at a time: rotate, switch over, then revoke the old one once it is no longer used.</p>`,
  );
}

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
      { action: `${baseOf(mode)}/new`, submit: `Generate ${mode} key`, filled },
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

const activeSecrets = ({ secrets }: CredentialDoc, nowMs: number): SecretDoc[] =>
  secrets.filter((secret) => accessState(secret, nowMs) === 'ACTIVE');

export function rotatePage(
  ctx: PageContext<'partner'>,
  key: CredentialDoc,
  nowMs: number,
  filled: Filled,
): Page {
  const { mode } = key;
  const active = activeSecrets(key, nowMs);
  const isFull = active.length >= maxActiveSecrets;
  return page(
    { title: 'Rotate secret', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${
      isFull
        ? html`<p>Two secrets are already active. Revoke the one your systems no longer use, then create another.</p>
${secretUse(active)}
${linkButton(`/keys/${key._id}`, 'View secrets')}`
        : html`<p>This adds a second secret, and both work. Switch your systems over without an outage, then revoke the old one.</p>
${secretUse(active)}
${form(ctx, {
  action: `${baseOf(mode)}/${key._id}/rotate`,
  submit: 'Generate new secret',
  filled,
})}`
    }</div>`,
  );
}

export function revokePage(ctx: PageContext<'partner'>, key: CredentialDoc, filled: Filled): Page {
  const { mode } = key;
  return page(
    { title: 'Revoke key', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning('This key', lastUseOf(key.secrets))}
<p>${code(key.apiKey)} and all its secrets stop working within seconds, permanently.</p>
${form(ctx, {
  action: `${baseOf(mode)}/${key._id}/revoke`,
  submit: 'Revoke key',
  filled,
  isDangerous: true,
})}</div>`,
  );
}

export function revokeSecretPage(
  ctx: PageContext<'partner'>,
  key: CredentialDoc,
  secretId: string,
  { nowMs, filled }: { nowMs: number; filled: Filled },
): Page {
  const { mode } = key;
  const lastUse = key.secrets.find((one) => one.secretId === secretId)?.lastUsedAt ?? null;
  const isLast = activeSecrets(key, nowMs).length === 1;
  return page(
    { title: 'Revoke secret', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning('This secret', lastUse)}
${isLast ? notice('warn', 'This is the key’s only secret: without it, the key can’t sign requests. Rotate first to switch over without an outage.') : nothing}
<p>${code(secretId)} stops working within seconds, permanently.</p>
${form(ctx, {
  submit: 'Revoke secret',
  filled,
  isDangerous: true,
  action: `${baseOf(mode)}/secrets/${secretId}/revoke`,
})}</div>`,
  );
}

function lastUseWarning(what: string, lastUse: Date | null): Html {
  return lastUse === null
    ? notice('info', `${what} has never been used.`)
    : notice('warn', html`${what} was last used on ${time(lastUse)}.`);
}

function secretUse(secrets: readonly SecretDoc[]): Html {
  return facts(
    secrets.map(({ secretId, lastUsedAt }) => [
      `Active: ${secretId}`,
      html`Last used: ${time(lastUsedAt, 'never')}`,
    ]),
  );
}
