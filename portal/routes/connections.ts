import Joi from 'joi';
import {
  type Earns,
  earningParts,
  type Platform,
  platforms,
  usualEarns,
} from '../../domain/connections.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import {
  addConnectionSecret,
  createConnection,
  endConnection,
  removeConnectionReadKey,
  removeConnectionSecret,
  setConnectionReadKey,
  updateConnection,
} from '../../operations/connections.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { readConnection, readConnections } from '../../views/connections.ts';
import { integrationChoices } from '../../views/integrations.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { connectionPage, connectionsPage, newConnectionPage } from '../pages/connections.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';
import { platformNames } from '../words/connection-words.ts';

const base = '/connections';
const reading = { audience: 'partner', permission: 'read' } as const;
const changing = {
  audience: 'partner',
  permission: 'credential.test',
  secondFactor: 'LIVE',
} as const;
const one = { params: { connectionId: 'connection' } } as const;
const creating = { ...changing, path: `${base}/new` } as const;

interface NewConnection {
  mode: Mode;
  platform: Platform;
  shop: string;
  secret: string;
  integrationId: string;
}
const newSchema = Joi.object<NewConnection>({
  mode: Joi.valid(...modes).required(),
  platform: Joi.valid(...platforms)
    .required()
    .messages({ 'any.required': 'Choose a platform.' }),
  shop: Joi.string()
    .max(255)
    .when('platform', {
      is: 'STRIPE',
      // biome-ignore lint/suspicious/noThenProperty: what Joi calls it
      then: Joi.string().default(''),
      otherwise: Joi.string().required().messages({ 'any.required': 'Enter the shop’s address.' }),
    }),
  secret: Joi.string().max(512).required().messages({ 'any.required': 'Enter the secret.' }),
  integrationId: Joi.string().max(64).default('new'),
});
const secretSchema = Joi.object<{ secret: string }>({
  secret: Joi.string().max(512).required().messages({ 'any.required': 'Enter the secret.' }),
});
const removalSchema = Joi.object<{ secretId: string }>({
  secretId: Joi.string().max(64).required(),
});
const readKeySchema = Joi.object<{ readSecret: string; consumerSecret: string }>({
  readSecret: Joi.string().max(512).required().messages({ 'any.required': 'Enter the key.' }),
  consumerSecret: Joi.string().max(512).default(''),
});
const earnsSchema = Joi.object<{ earns: (keyof Earns)[] }>({
  earns: Joi.array()
    .items(Joi.string().valid(...earningParts))
    .single()
    .unique()
    .default([]),
});
const emptySchema = Joi.object({});
const querySchema = Joi.object<{ platform?: Platform }>({ platform: Joi.valid(...platforms) });

/** Shops that are connected without code: their platforms report by webhooks of their own. */
export function connectionPages(routes: Routes): void {
  routes.page({ ...reading, path: base }, showAll);
  routes.page(creating, showNew);
  routes.action(creating, { schema: newSchema, act: create, retry: showNew });
  routes.page({ ...reading, ...one, path: `${base}/:connectionId` }, showOne);
  const on = (path: string) => ({ ...changing, ...one, path: `${base}/:connectionId/${path}` });
  routes.action(on('earns'), { schema: earnsSchema, act: changeEarns, retry: showOne });
  routes.action(on('secret'), { schema: secretSchema, act: addSecret, retry: showOne });
  routes.action(on('remove-secret'), { schema: removalSchema, act: removeSecret, retry: showOne });
  routes.action(on('read-key'), { schema: readKeySchema, act: setReadKey, retry: showOne });
  routes.action(on('remove-read-key'), {
    schema: emptySchema,
    act: removeReadKey,
    retry: showOne,
  });
  routes.action(on('pause'), { schema: emptySchema, act: pause(true), retry: showOne });
  routes.action(on('resume'), { schema: emptySchema, act: pause(false), retry: showOne });
  routes.action(on('remove'), { schema: emptySchema, act: remove, retry: showOne });
}

async function showAll(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  render(ctx, connectionsPage(ctx, mode, await readConnections(deps, ownScope(ctx), mode)));
}

async function showNew(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const typed = platforms.find((name) => name === filled.values.platform);
  const platform = typed ?? queryOf(ctx, querySchema).platform ?? null;
  const mode = modes.find((name) => name === filled.values.mode) ?? modeOf(ctx);
  const choices = await integrationChoices(deps, ownScope(ctx));
  render(ctx, newConnectionPage(ctx, mode, platform, choices, filled));
}

/** What an operation says of a field, beside that field. */
async function asFieldErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [[field, message] = []] = Object.entries(error.fields);
    if (field === undefined || message === undefined) throw error;
    throw new FieldError(field, `${message.replace(/^\w+ must be/, 'Enter')}.`);
  }
}

async function create(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { integrationId: chosen, ...given }: NewConnection,
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const integrationId = chosen === 'new' ? await newIntegration(ctx, deps, given) : chosen;
  const made = execute(deps, createConnection, actorOf(ctx), {
    partnerId,
    integrationId,
    ...given,
  });
  const { _id } = await asFieldErrors(made);
  redirect(ctx, `${base}/${_id}`, 'Connected. Now let the platform send to the address below.');
}

async function newIntegration(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { platform, shop }: Pick<NewConnection, 'platform' | 'shop'>,
): Promise<string> {
  const partnerId = ctx.state.viewer.partner._id;
  const name = (shop.trim() || platformNames[platform]).slice(0, 100);
  const { _id } = await execute(deps, createIntegration, actorOf(ctx), { partnerId, name });
  return _id;
}

async function showOne(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const details = await readConnection(deps, ownScope(ctx), param(ctx, 'connectionId'));
  const address = `${deps.config.portal.apiUrl}/connect/${details.connection._id}`;
  render(ctx, connectionPage(ctx, details, address, filled));
}

const keyOf = (ctx: PageContext<'partner'>) => ({
  partnerId: ctx.state.viewer.partner._id,
  connectionId: param(ctx, 'connectionId'),
});

const done = (ctx: PageContext<'partner'>, said: string): void =>
  redirect(ctx, `${base}/${param(ctx, 'connectionId')}`, said);

async function changeEarns(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { earns: ticked }: { earns: (keyof Earns)[] },
): Promise<void> {
  const earns = { ...usualEarns };
  for (const part of earningParts) earns[part] = ticked.includes(part);
  await execute(deps, updateConnection, actorOf(ctx), { ...keyOf(ctx), earns });
  done(ctx, 'Saved. It applies to new orders.');
}

async function addSecret(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { secret }: { secret: string },
): Promise<void> {
  const key = { ...keyOf(ctx), secret };
  await asFieldErrors(execute(deps, addConnectionSecret, actorOf(ctx), key));
  done(ctx, 'Saved. Both secrets work until you remove the old one.');
}

async function removeSecret(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { secretId }: { secretId: string },
): Promise<void> {
  await execute(deps, removeConnectionSecret, actorOf(ctx), { ...keyOf(ctx), secretId });
  done(ctx, 'Secret removed.');
}

async function setReadKey(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  secrets: { readSecret: string; consumerSecret: string },
): Promise<void> {
  const input = { ...keyOf(ctx), ...secrets };
  await asFieldErrors(execute(deps, setConnectionReadKey, actorOf(ctx), input));
  done(ctx, 'Saved. We ask the shop within an hour, and then once a day.');
}

async function removeReadKey(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await execute(deps, removeConnectionReadKey, actorOf(ctx), keyOf(ctx));
  done(ctx, 'Key removed.');
}

const pause =
  (isPaused: boolean) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    await execute(deps, updateConnection, actorOf(ctx), { ...keyOf(ctx), isPaused });
    done(ctx, isPaused ? 'Paused.' : 'Resumed.');
  };

async function remove(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  await execute(deps, endConnection, actorOf(ctx), keyOf(ctx));
  redirect(ctx, base, 'Connection removed. Remove its webhooks at the platform, too.');
}
