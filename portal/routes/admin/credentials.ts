import Joi from 'joi';
import { type Mode, modes } from '../../../domain/mode.ts';
import { scopes } from '../../../domain/partners.ts';
import type { Scope } from '../../../models/schemas/integrations.ts';
import {
  createCredential,
  revokeCredential,
  revokeSecret,
  rotateCredential,
} from '../../../operations/credentials.ts';
import { execute } from '../../../operations/execute.ts';
import { createIntegration } from '../../../operations/integrations.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import { integrationChoices, readAnyIntegration, readAnyKey } from '../../../views/integrations.ts';
import { scopeOf } from '../../../views/partner-scope.ts';
import { readPartner } from '../../../views/partners.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { nameField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { actorOf, whenDone } from '../../operate.ts';
import {
  anyIntegrationPage,
  anyKeyPage,
  newIntegrationOfPartnerPage,
  newKeyOfPartnerPage,
} from '../../pages/admin/credentials.ts';
import type { Routes } from '../../routing/route-table.ts';
import { revealCreated } from '../../session/reveal.ts';

/** The choices for the scopes of a key. */
const scopeSets: Record<string, readonly Scope[]> = {
  both: ['events:write', 'events:read'],
  checkout: scopes,
  write: ['events:write'],
  read: ['events:read'],
};

const integrationSchema = Joi.object<{ name: string }>({ name: nameField.required() });
const secretSchema = Joi.object<{ secretId: string }>({
  secretId: Joi.string().max(64).required(),
});
const createSchema = Joi.object<{ integrationId: string; mode: Mode; scopes: string }>({
  integrationId: Joi.string().max(64).required(),
  mode: Joi.string()
    .valid(...modes)
    .required(),
  scopes: Joi.string()
    .valid(...Object.keys(scopeSets))
    .required(),
});

interface KeyOfPartnerForm {
  integrationId: string;
  mode: Mode;
  scopes: string;
}
const ofPartner = { params: { partnerId: 'partner' }, audience: 'operator' } as const;
const integrating = {
  ...ofPartner,
  path: '/admin/partners/:partnerId/integrations/new',
  permission: 'integration.create',
} as const;
const creating = {
  ...ofPartner,
  path: '/admin/partners/:partnerId/credentials/new',
  permission: 'credential.create',
  secondFactor: true,
} as const;
const ofIntegration = {
  path: '/admin/integrations/:integrationId',
  params: { integrationId: 'integration' },
  audience: 'operator',
} as const;
const ofKey = {
  path: '/admin/credentials/:credentialId',
  params: { credentialId: 'credential' },
  audience: 'operator',
} as const;
const changingKey = { ...ofKey, secondFactor: true } as const;

/** A partner’s integrations and keys, managed by operators. */
export function operatorCredentialPages(routes: Routes): void {
  const nothingToFill = Joi.object({});
  routes.page(integrating, showIntegrate);
  routes.action(integrating, { schema: integrationSchema, act: integrate, retry: showIntegrate });
  routes.page(creating, showCreate);
  routes.action(creating, { schema: createSchema, act: create, retry: showCreate });
  routes.page({ ...ofIntegration, permission: 'read' }, showIntegration);
  routes.page({ ...ofKey, permission: 'read' }, showKey);
  routes.action(
    { ...changingKey, path: `${ofKey.path}/secrets`, permission: 'credential.rotate' },
    { schema: nothingToFill, act: rotate },
  );
  routes.action(
    {
      ...changingKey,
      path: `${ofKey.path}/secrets/revoke`,
      permission: 'credential.revoke-secret',
    },
    { schema: secretSchema, act: revokeOneSecret },
  );
  routes.action(
    { ...changingKey, path: `${ofKey.path}/revoke`, permission: 'credential.revoke' },
    { schema: nothingToFill, act: revoke },
  );
}

async function showIntegrate(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const partner = await readPartner(deps, param(ctx, 'partnerId'));
  render(ctx, newIntegrationOfPartnerPage(ctx, partner, filled));
}

async function integrate(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { name }: { name: string },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  await execute(deps, createIntegration, actorOf(ctx), { partnerId, name });
  redirect(ctx, operatorPaths.PARTNER + partnerId, 'Integration created.');
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

async function create(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { scopes, ...fields }: KeyOfPartnerForm,
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const input = { partnerId, ...fields, scopes: [...(scopeSets[scopes] ?? [])] };
  const executed = await execute(deps, createCredential, actorOf(ctx), input);
  await whenDone(ctx, executed, (made) => revealCreated(deps, ctx, made));
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

async function rotate(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const credentialId = param(ctx, 'credentialId');
  const executed = await execute(deps, rotateCredential, actorOf(ctx), { credentialId });
  await whenDone(ctx, executed, (made) => revealCreated(deps, ctx, made));
}

async function revokeOneSecret(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { secretId }: { secretId: string },
): Promise<void> {
  const credentialId = param(ctx, 'credentialId');
  await execute(deps, revokeSecret, actorOf(ctx), { credentialId, secretId });
  redirect(ctx, operatorPaths.CREDENTIAL + credentialId, 'Secret revoked.');
}

async function revoke(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const credentialId = param(ctx, 'credentialId');
  await execute(deps, revokeCredential, actorOf(ctx), { credentialId });
  redirect(ctx, operatorPaths.CREDENTIAL + credentialId, 'Key revoked.');
}
