import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import {
  accessState,
  keyExpiresAt,
  keyState,
  liveKeyDays,
  maxActiveSecrets,
  scopes,
} from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { CredentialDoc, Scope, ServiceAccountDoc } from '../../models/schemas/integrations.ts';
import {
  createCredential,
  type RevealedSecret,
  revokeCredential,
  revokeSecret,
  rotateCredential,
  showSecret,
} from '../../operations/credentials.ts';
import {
  findOwnKey,
  findOwnKeyOfSecret,
  integrationChoices,
  type KeyDetails,
  type Keys,
  readKey,
  readKeys,
  readServiceAccounts,
} from '../../views/integrations.ts';
import {
  badge,
  code,
  codeBlock,
  definitions,
  emptyState,
  linkButton,
  notice,
  section,
  table,
} from '../components/components.ts';
import { type Choice, confirm, form, select } from '../components/form.ts';
import { day, type Html, html, lastUseOf, nothing, type Part, time } from '../components/format.ts';
import { environment, keyCrumbs, keyLinks } from '../components/keys.ts';
import { keyExpiry, keyScopeChoices, scopeLabels, shortKey } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import { checkedMode, type PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { chosenNumber } from '../forms/fields.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { keyPermissions, modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { revealKey } from '../session/reveal.ts';
import { mayChangeAccounts } from './service-accounts.ts';

/** API keys and their secrets. */
export function keyPages(routes: RoutesOf<'partner'>): void {
  routes.page('/keys', showKeys);
  routes.page('/keys/:credentialId', showKey);
}

async function showKeys(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const query = queryOf(ctx, pageSchema);
  const [keys, accounts] = await Promise.all([
    readKeys(deps, ownScope(ctx), mode, query),
    query.cursor === undefined ? readServiceAccounts(deps, ownScope(ctx), mode) : [],
  ]);
  render(ctx, keysPage(ctx, mode, keys, accounts, deps.now()));
}

async function showKey(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = await readKey(deps, ownScope(ctx), param(ctx, 'credentialId'));
  render(ctx, keyPage(ctx, found, deps));
}

const scopeChoices = {
  both: ['events:write', 'events:read'],
  checkout: scopes,
  write: ['events:write'],
  read: ['events:read'],
} as const satisfies Record<string, readonly Scope[]>;

type ScopeChoice = keyof typeof scopeChoices;

interface NewKeyForm {
  integrationId: string;
  scopes: ScopeChoice;
  days?: number;
}

/** How long a LIVE key can be valid. */
const keyDays = ['30', '90', '365'] as const;

const newSchema = Joi.object<NewKeyForm>({
  integrationId: Joi.string()
    .max(64)
    .required()
    .messages({ 'any.required': 'Choose an integration.' }),
  scopes: Joi.string()
    .valid(...Object.keys(scopeChoices))
    .default('both')
    .messages({ 'any.only': 'Choose what the key can do.' }),
  days: chosenNumber(keyDays.map(Number)).messages({ '*': 'Choose a duration.' }),
});

/** Creating a key with its first secret. */
export function newKeyPages(routes: RoutesOf<'partner'>): void {
  routes.operation('/keys/new', createCredential, {
    modeOf,
    page: showNew,
    form: newSchema,
    input: ({ scopes, ...typed }, ctx) => ({
      ...typed,
      mode: checkedMode(ctx),
      scopes: [...scopeChoices[scopes]],
    }),
    done: (ctx, deps, made) => revealKey(deps, ctx, `Your new ${checkedMode(ctx)} key`, made),
  });
}

async function showNew(ctx: PageContext<'partner'>, deps: PageDeps, given?: Filled): Promise<void> {
  const mode = checkedMode(ctx);
  const isLive = ctx.state.viewer.partner.goLive.state === 'LIVE';
  if (mode === 'LIVE' && !isLive) return render(ctx, noLiveKeyYetPage());
  const { integration } = ctx.query;
  const chosenId = typeof integration === 'string' ? integration : undefined;
  const choices = await integrationChoices(deps, ownScope(ctx));
  if (choices.length === 0) return render(ctx, noIntegrationYetPage(mode));
  const filled = given ?? filledWith({ ...(chosenId && { integrationId: chosenId }) });
  render(ctx, newKeyPage(ctx, mode, choices, filled));
}

/** Rotating and revoking keys, confirmed on the key's page. */
export function keyChangePages(routes: RoutesOf<'partner'>): void {
  const revealNew = (ctx: PageContext<'partner'>, deps: PageDeps, made: RevealedSecret) =>
    revealKey(deps, ctx, 'Your new secret', made);
  const ofKey = async (ctx: PageContext<'partner'>, deps: PageDeps) =>
    (await findOwnKey(deps, ownScope(ctx), param(ctx, 'credentialId'))).mode;
  routes.operation('/keys/:credentialId/rotate', rotateCredential, {
    modeOf: ofKey,
    on: showKey,
    done: revealNew,
  });
  routes.operation('/keys/:credentialId/revoke', revokeCredential, {
    modeOf: ofKey,
    on: showKey,
    to: '/keys/:credentialId',
    said: 'Key revoked. It stops working within seconds.',
  });
  const ofSecret = {
    modeOf: async (ctx: PageContext<'partner'>, deps: PageDeps) =>
      (await keyOfSecret(ctx, deps)).mode,
    input: async (_nothing: unknown, ctx: PageContext<'partner'>, deps: PageDeps) => ({
      credentialId: (await keyOfSecret(ctx, deps))._id,
    }),
  };
  routes.operation('/keys/secrets/:secretId/show', showSecret, { ...ofSecret, done: revealNew });
  routes.operation('/keys/secrets/:secretId/revoke', revokeSecret, {
    ...ofSecret,
    to: ({ _id }) => `/keys/${_id}`,
    said: 'Secret revoked. It stops working within seconds.',
  });
}

const keyOfSecret = (ctx: PageContext<'partner'>, deps: PageDeps): Promise<CredentialDoc> =>
  findOwnKeyOfSecret(deps, ownScope(ctx), param(ctx, 'secretId'));

/** API keys and the service accounts of programs, in one list. */
function keysPage(
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
function keyPage(
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
    definitions([
      ['API key', code(apiKey, { canCopy: true })],
      ['Integration', html`<a href="/integrations/${integrationId}">${integrationName}</a>`],
      ['Scopes', scopeLabels(scopes)],
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

const titleOf = (mode: Mode): string => `Generate ${mode} key`;

function noLiveKeyYetPage(): Page {
  return page(
    { title: titleOf('LIVE'), crumbs: keyCrumbs() },
    emptyState(
      'LIVE keys require go-live',
      'They create real rewards, which you pay for, so you can generate them only once your go-live is approved.',
      linkButton('/home', 'See what is missing'),
    ),
  );
}

function noIntegrationYetPage(mode: Mode): Page {
  return page(
    { title: titleOf(mode), crumbs: keyCrumbs(), mode },
    emptyState(
      'A key belongs to an integration',
      'Create one first: it only needs a name.',
      linkButton('/integrations/new', 'New integration'),
    ),
  );
}

function newKeyPage(
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
        choices: keyScopeChoices,
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
