import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import type { Permission } from '../../domain/operators.ts';
import { accessState, keyState, scopes } from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import type { Scope, SecretDoc } from '../../models/schemas/integrations.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import {
  createCredential,
  revokeCredential,
  revokeSecret,
  rotateCredential,
} from '../../operations/credentials.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import {
  type AnyIntegration,
  type AnyKey,
  integrationChoices,
  readAnyIntegration,
  readAnyKey,
} from '../../views/integrations.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readPartner } from '../../views/partners.ts';
import { badge, code, definitions, emptyState, section, table } from '../components/components.ts';
import { type Choice, confirm, field, form, hidden, select } from '../components/form.ts';
import { type Html, html, nothing, time } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths, to } from '../components/links.ts';
import { approvalNotice } from '../components/money.ts';
import { keyExpiry, keyScopeChoices, scopeLabels } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { revealCreated } from '../session/reveal.ts';

/** The choices for the scopes of a key. */
const scopeSets: Record<string, readonly Scope[]> = {
  both: ['events:write', 'events:read'],
  checkout: scopes,
  write: ['events:write'],
  read: ['events:read'],
};

const createSchema = Joi.object<{ integrationId: string; mode: Mode; scopes: string }>({
  integrationId: Joi.string().max(64).required(),
  mode: Joi.string()
    .valid(...modes)
    .required(),
  scopes: Joi.string()
    .valid(...Object.keys(scopeSets))
    .required(),
});

const ofPartner = '/admin/partners/:partnerId';

const ofKey = '/admin/credentials/:credentialId';

/** A partner’s integrations and keys, managed by operators. */
export function operatorCredentialPages(routes: RoutesOf<'operator'>): void {
  routes.operation(`${ofPartner}/integrations/new`, createIntegration, {
    page: showIntegrate,
    form: Joi.object({ name: nameField.required() }),
    to: ofPartner,
    said: 'Integration created.',
  });
  routes.operation(`${ofPartner}/credentials/new`, createCredential, {
    page: showCreate,
    form: createSchema,
    input: ({ scopes, ...fields }) => ({ ...fields, scopes: [...(scopeSets[scopes] ?? [])] }),
    done: revealCreated,
  });
  routes.page('/admin/integrations/:integrationId', showIntegration);
  routes.page(ofKey, showKey);
  routes.operation(`${ofKey}/secrets`, rotateCredential, { done: revealCreated });
  routes.operation(`${ofKey}/secrets/revoke`, revokeSecret, {
    fields: ['secretId'],
    to: ofKey,
    said: 'Secret revoked.',
  });
  routes.operation(`${ofKey}/revoke`, revokeCredential, { to: ofKey, said: 'Key revoked.' });
}

async function showIntegrate(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const partner = await readPartner(deps, param(ctx, 'partnerId'));
  render(ctx, newIntegrationOfPartnerPage(ctx, partner, filled));
}

async function showCreate(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const partner = await readPartner(deps, param(ctx, 'partnerId'));
  const integrations = await integrationChoices(deps, scopeOf(partner));
  const liveNeedsApproval = needsApproval(deps.config, createCredential, { mode: 'LIVE' });
  render(
    ctx,
    newKeyOfPartnerPage(ctx, partner, integrations, { needsApproval: liveNeedsApproval, filled }),
  );
}

async function showIntegration(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, anyIntegrationPage(await readAnyIntegration(deps, param(ctx, 'integrationId'))));
}

async function showKey(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const found = await readAnyKey(deps, param(ctx, 'credentialId'));
  const { mode } = found.key;
  render(
    ctx,
    anyKeyPage(ctx, found, {
      needsApproval: needsApproval(deps.config, rotateCredential, { mode }),
      nowMs: deps.now(),
    }),
  );
}

function newIntegrationOfPartnerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: 'New integration',
      crumbs: crumbsOfPartner(partner),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Create integration', filled },
      field({
        name: 'name',
        label: 'Name',
        filled,
        isRequired: true,
        maxLength: 100,
        hint: 'One of the partner’s systems that sends events, such as its web shop.',
      }),
    )}</div>`,
  );
}

/** @param needsApproval whether a LIVE key needs a second operator */
function newKeyOfPartnerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  integrations: readonly Choice[],
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    {
      title: 'New key',
      crumbs: crumbsOfPartner(partner),
      lead: 'Its secret is shown once. Partners create their own keys in their portal.',
    },
    integrations.length === 0
      ? emptyState('No integration yet', 'A key belongs to an integration. Create one first.')
      : html`<div class="card narrow">${form(
          ctx,
          { action: ctx.path, submit: 'Create key', filled },
          select({
            name: 'integrationId',
            label: 'Integration',
            filled,
            choices: integrations,
          }),
          select({
            name: 'mode',
            label: 'Mode',
            filled,
            choices: [
              { value: 'TEST', text: 'TEST' },
              { value: 'LIVE', text: 'LIVE' },
            ],
            hint: needsApproval
              ? 'A LIVE key needs a live partner and the approval of a second operator. It is valid for a year.'
              : 'A LIVE key needs a live partner. It is valid for a year.',
          }),
          select({
            name: 'scopes',
            label: 'Allowed to',
            filled,
            choices: keyScopeChoices,
          }),
        )}</div>`,
  );
}

const anyIntegrationPage = ({ integration, partner }: AnyIntegration): Page =>
  page(
    {
      title: integration.name,
      crumbs: crumbsOfPartner(partner),
      lead: code(integration._id, { canCopy: true }),
    },
    section(
      'Integration',
      definitions([
        ['Since', time(integration.createdAt)],
        [
          'Claim links',
          integration.delivery === 'PARTNER' ? 'the partner sends them' : 'we send them',
        ],
      ]),
    ),
  );

/** @param options.needsApproval whether another secret needs a second operator */
function anyKeyPage(
  ctx: PageContext<'operator'>,
  { key, partner, integration }: AnyKey,
  { needsApproval, nowMs }: { needsApproval: boolean; nowMs: number },
): Page {
  const path = operatorPaths.CREDENTIAL + key._id;
  const isActive = key.revokedAt === null;
  const may = (permission: Permission) => isActive && hasPermission(ctx.state.viewer, permission);
  return page(
    {
      title: 'Key',
      crumbs: crumbsOfPartner(partner),
      lead: code(key.apiKey, { canCopy: true }),
      mode: key.mode,
    },
    keySection(key, integration, nowMs),
    secretsSection(
      key,
      nowMs,
      may('credential.revoke-secret') ? (secretId) => revokeSecretForm(ctx, path, secretId) : null,
    ),
    may('credential.rotate') ? addSecretSection(ctx, path, needsApproval) : nothing,
    may('credential.revoke') ? revokeSection(ctx, path) : nothing,
  );
}

function keySection(key: AnyKey['key'], integration: AnyKey['integration'], nowMs: number): Html {
  return section(
    'About the key',
    definitions([
      ['State', badge(keyState(key, nowMs))],
      ['Mode', badge(key.mode)],
      ['Integration', to('INTEGRATION', integration._id, integration.name)],
      ['Scopes', scopeLabels(key.scopes)],
      ['Created', time(key.createdAt)],
      ['Expires', keyExpiry(key)],
      ['Revoked', time(key.revokedAt)],
      ['ID', code(key._id, { canCopy: true })],
    ]),
  );
}

/** @param revokeForm of an active secret; null if the viewer cannot revoke any */
function secretsSection(
  key: AnyKey['key'],
  nowMs: number,
  revokeForm: ((secretId: string) => Html) | null,
): Html {
  return section(
    'Signing secrets',
    html`<p class="muted">Up to two can be active, so that a partner can switch without an outage. Nobody can view a secret again.</p>`,
    table({
      caption: 'Signing secrets',
      columns: {
        Secret: ({ secretId }: SecretDoc) => code(secretId),
        Created: ({ createdAt }) => time(createdAt),
        Expires: ({ expiresAt }) => time(expiresAt, 'never'),
        'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        State: (secret) => badge(key.revokedAt ? 'REVOKED' : accessState(secret, nowMs)),
        '': ({ secretId, revokedAt }) =>
          revokeForm && !revokedAt ? revokeForm(secretId) : nothing,
      },
      rows: key.secrets,
    }),
  );
}

const revokeSecretForm = (ctx: PageContext<'operator'>, path: string, secretId: string): Html =>
  confirm(
    ctx,
    {
      ask: 'Revoke …',
      question: 'Requests signed with this secret are refused within seconds.',
      action: `${path}/secrets/revoke`,
      submit: 'Revoke secret',
    },
    hidden('secretId', secretId),
  );

function addSecretSection(
  ctx: PageContext<'operator'>,
  path: string,
  needsApproval: boolean,
): Html {
  return section(
    'Add a secret',
    needsApproval ? approvalNotice() : nothing,
    confirm(ctx, {
      ask: 'Rotate secret …',
      isDangerous: false,
      question: 'This adds a second secret, and both work. The next page shows the new one, once.',
      action: `${path}/secrets`,
      submit: 'Create another secret',
    }),
  );
}

function revokeSection(ctx: PageContext<'operator'>, path: string): Html {
  return section(
    'Revoke',
    confirm(ctx, {
      ask: 'Revoke key …',
      action: `${path}/revoke`,
      submit: 'Revoke key',
      question: 'The key and all its secrets stop working within seconds. This cannot be undone.',
    }),
  );
}
