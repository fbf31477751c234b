import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import { scopes } from '../../domain/partners.ts';
import { pageSchema } from '../../http/query.ts';
import type { CredentialDoc, Scope } from '../../models/schemas/integrations.ts';
import {
  createCredential,
  revokeCredential,
  revokeSecret,
  rotateCredential,
  showSecret,
} from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import {
  findOwnKey,
  findOwnKeyOfSecret,
  integrationChoices,
  readKey,
  readKeys,
  readServiceAccounts,
} from '../../views/integrations.ts';
import { render } from '../components/view.ts';
import { checkedMode, type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { chosenNumber } from '../forms/fields.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import {
  keyDays,
  keyPage,
  keysPage,
  newKeyPage,
  noIntegrationYetPage,
  noLiveKeyYetPage,
} from '../pages/keys.ts';
import { keyPermissions, modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RouteSpec } from '../routing/route.ts';
import type { Routes } from '../routing/route-table.ts';
import { revealKey } from '../session/reveal.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

/** API keys and their secrets. */
export function keyPages(routes: Routes): void {
  routes.page({ ...reading, path: '/keys' }, showKeys);
  routes.page(
    { ...reading, path: '/keys/:credentialId', params: { credentialId: 'credential' } },
    showKey,
  );
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

/** Who may change keys: in TEST developers, in LIVE owners with the second factor. */
const changing = { audience: 'partner', permission: { ...keyPermissions, modeOf } } as const;
const creating = { ...changing, path: '/keys/new' };

/** Creating a key with its first secret. */
export function newKeyPages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema: newSchema, act: createKey, retry: showNew });
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

async function createKey(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { integrationId, scopes, days }: NewKeyForm,
): Promise<void> {
  const mode = checkedMode(ctx);
  const partnerId = ctx.state.viewer.partner._id;
  const fields = { partnerId, integrationId, mode, scopes: [...scopeChoices[scopes]], days };
  const made = await execute(deps, createCredential, actorOf(ctx), fields);
  await revealKey(deps, ctx, `Your new ${mode} key`, made);
}

const schema = Joi.object({});
const ofKey = {
  audience: 'partner',
  permission: { ...keyPermissions, modeOf: async (ctx, deps) => (await keyOf(ctx, deps)).mode },
  params: { credentialId: 'credential' },
} as const satisfies Omit<RouteSpec<'partner'>, 'path'>;
const ofSecret = {
  audience: 'partner',
  permission: {
    ...keyPermissions,
    modeOf: async (ctx, deps) => (await keyOfSecret(ctx, deps)).mode,
  },
  params: { secretId: 'secret' },
} as const satisfies Omit<RouteSpec<'partner'>, 'path'>;

/** Rotating and revoking keys, confirmed on the key's page. */
export function keyChangePages(routes: Routes): void {
  routes.action(
    { ...ofKey, path: '/keys/:credentialId/rotate' },
    { schema, act: rotate, retry: showKey },
  );
  routes.action(
    { ...ofKey, path: '/keys/:credentialId/revoke' },
    { schema, act: revoke, retry: showKey },
  );
  routes.action(
    {
      ...ofSecret,
      path: '/keys/secrets/:secretId/show',
      // Only LIVE secrets are made for an owner.
      permission: { ...ofSecret.permission, TEST: keyPermissions.LIVE },
      secondFactor: true,
    },
    { schema, act: showOneSecret },
  );
  routes.action(
    { ...ofSecret, path: '/keys/secrets/:secretId/revoke' },
    { schema, act: revokeOneSecret },
  );
}

const keyOf = (ctx: PageContext<'partner'>, deps: PageDeps, mode?: Mode): Promise<CredentialDoc> =>
  findOwnKey(deps, ownScope(ctx), param(ctx, 'credentialId'), mode);

const keyOfSecret = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  mode?: Mode,
): Promise<CredentialDoc> => findOwnKeyOfSecret(deps, ownScope(ctx), param(ctx, 'secretId'), mode);

async function rotate(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { _id: credentialId } = await keyOf(ctx, deps, checkedMode(ctx));
  const made = await execute(deps, rotateCredential, actorOf(ctx), { credentialId });
  await revealKey(deps, ctx, 'Your new secret', made);
}

async function revoke(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { _id: credentialId } = await keyOf(ctx, deps, checkedMode(ctx));
  await execute(deps, revokeCredential, actorOf(ctx), { credentialId });
  redirect(ctx, `/keys/${credentialId}`, 'Key revoked. It stops working within seconds.');
}

async function showOneSecret(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const secretId = param(ctx, 'secretId');
  const { _id: credentialId } = await keyOfSecret(ctx, deps, checkedMode(ctx));
  const shown = await execute(deps, showSecret, actorOf(ctx), { credentialId, secretId });
  await revealKey(deps, ctx, 'Your new secret', shown);
}

async function revokeOneSecret(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const secretId = param(ctx, 'secretId');
  const { _id: credentialId } = await keyOfSecret(ctx, deps, checkedMode(ctx));
  await execute(deps, revokeSecret, actorOf(ctx), { credentialId, secretId });
  redirect(ctx, `/keys/${credentialId}`, 'Secret revoked. It stops working within seconds.');
}
