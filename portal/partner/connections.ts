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
import type { RepairRun } from '../../domain/shop-repair.ts';
import { param } from '../../http/context.ts';
import type { ConnectionDoc } from '../../models/schemas/connections.ts';
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
import {
  type ConnectionDetails,
  type ConnectionList,
  readConnection,
  readConnections,
} from '../../views/connections.ts';
import { integrationChoices } from '../../views/integrations.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  linkButton,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { confirm, field, form, formBehind, hidden, select, tickList } from '../components/form.ts';
import { type Html, html, nothing, number, time } from '../components/format.ts';
import { type Step, stepList } from '../components/steps.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { actorOf } from '../operate.ts';
import { keyPermissions, modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import {
  askProblemWords,
  earningPartWords,
  platformFields,
  platformNames,
  platformSteps,
  readKeyFields,
} from '../words/connection-words.ts';
import { meaningOf } from '../words/log-words.ts';

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

const querySchema = Joi.object<{ platform?: Platform }>({ platform: Joi.valid(...platforms) });

const secretField = (missing: string) =>
  Joi.string().max(512).required().messages({ 'any.required': missing });

const secretSchema = Joi.object<{ secret: string }>({ secret: secretField('Enter the secret.') });

const readKeySchema = Joi.object<{ readSecret: string; consumerSecret: string }>({
  readSecret: secretField('Enter the key.'),
  consumerSecret: Joi.string().max(512).default(''),
});

const earnsSchema = Joi.object<{ earns: (keyof Earns)[] }>({
  earns: Joi.array()
    .items(Joi.string().valid(...earningParts))
    .single()
    .unique()
    .default([]),
});

const base = '/connections';

const path = `${base}/:connectionId`;

/** Shops that are connected without code: their platforms report by webhooks of their own. */
export function connectionPages(routes: RoutesOf<'partner'>): void {
  const [on, to] = [showOne, path];
  routes.page(base, showAll);
  routes.page(`${base}/new`, showNew, { operation: createConnection });
  routes.action(
    `${base}/new`,
    { schema: newSchema, act: create, retry: showNew },
    { operation: createConnection },
  );
  routes.page(path, showOne);
  routes.operation(`${path}/earns`, updateConnection, {
    on,
    form: earnsSchema,
    input({ earns: ticked }) {
      const earns = { ...usualEarns };
      for (const part of earningParts) earns[part] = ticked.includes(part);
      return { earns };
    },
    to,
    said: 'Saved. It applies to new orders.',
  });
  routes.action(
    `${path}/secret`,
    { schema: secretSchema, act: addSecret, retry: showOne },
    { operation: addConnectionSecret },
  );
  routes.operation(`${path}/remove-secret`, removeConnectionSecret, {
    on,
    fields: ['secretId'],
    to,
    said: 'Secret removed.',
  });
  routes.action(
    `${path}/read-key`,
    { schema: readKeySchema, act: setReadKey, retry: showOne },
    { operation: setConnectionReadKey },
  );
  routes.operation(`${path}/remove-read-key`, removeConnectionReadKey, {
    on,
    to,
    said: 'Key removed.',
  });
  routes.operation(`${path}/pause`, updateConnection, {
    on,
    input: { isPaused: true },
    to,
    said: 'Paused.',
  });
  routes.operation(`${path}/resume`, updateConnection, {
    on,
    input: { isPaused: false },
    to,
    said: 'Resumed.',
  });
  routes.operation(`${path}/remove`, endConnection, {
    on,
    to: base,
    said: 'Connection removed. Remove its webhooks at the platform, too.',
  });
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

async function addSecret(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { secret }: { secret: string },
): Promise<void> {
  const key = { ...keyOf(ctx), secret };
  await asFieldErrors(execute(deps, addConnectionSecret, actorOf(ctx), key));
  done(ctx, 'Saved. Both secrets work until you remove the old one.');
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

const crumbs = () => [['Shops', '/connections']] as const;

const mayChange = (ctx: PageContext<'partner'>, mode: Mode): boolean =>
  hasPermission(ctx.state.viewer, keyPermissions[mode]);

function connectionsPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { connections, nameOf }: ConnectionList,
): Page {
  const connect = mayChange(ctx, mode)
    ? linkButton(`/connections/new?mode=${mode}`, 'Connect a shop')
    : nothing;
  return page(
    {
      title: 'Shops',
      lead: 'A shop on Shopify, WooCommerce or Stripe reports what was bought and refunded by itself. Nobody has to write code.',
      actions: connections.length === 0 ? nothing : connect,
    },
    table({
      caption: 'Shops',
      columns: {
        Shop: ({ _id, platform, shop }) =>
          html`<a class="clip" href="/connections/${_id}">${shop ?? platformNames[platform]}</a>`,
        Platform: ({ platform }) => platformNames[platform],
        Integration: ({ integrationId }) => nameOf(integrationId) ?? '–',
        'Last delivery': ({ seen }) => time(seen.last?.at ?? null, 'none yet'),
        Purchases: { number: ({ seen }) => seen.purchases },
        Refunds: { number: ({ seen }) => seen.refunds },
        State: ({ pausedAt }) => badge(pausedAt === null ? 'ACTIVE' : 'PAUSED'),
      },
      rows: connections,
      empty: emptyState(
        'No shop connected yet',
        `Choose the platform, paste what it shows, and the first ${mode} order counts.`,
        connect,
      ),
    }),
  );
}

/** @param platform null to choose it first */
function newConnectionPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  platform: Platform | null,
  integrations: readonly { value: string; text: string }[],
  filled: Filled,
): Page {
  const options = {
    title: platform === null ? 'Connect a shop' : `Connect ${platformNames[platform]}`,
    mode,
    crumbs: crumbs(),
  };
  if (platform === null) {
    const links = platforms.map((one) =>
      linkButton(`/connections/new?mode=${mode}&platform=${one}`, platformNames[one], 'secondary'),
    );
    return page(
      { ...options, lead: 'What does the shop run on?' },
      html`<div class="card narrow"><p class="buttons">${links}</p></div>`,
    );
  }
  const { shop, shopHint, secret, secretHint } = platformFields[platform];
  return page(
    { ...options, lead: 'The next page has the address that the platform sends to.' },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/connections/new', submit: 'Connect', filled },
      hidden('mode', mode),
      hidden('platform', platform),
      shop === null
        ? nothing
        : field({
            name: 'shop',
            label: shop,
            filled,
            hint: shopHint,
            isRequired: true,
            maxLength: 255,
            autocomplete: 'off',
          }),
      field({
        name: 'secret',
        label: secret,
        filled,
        hint: secretHint,
        type: 'password',
        isRequired: true,
        maxLength: 512,
        autocomplete: 'off',
      }),
      select({
        name: 'integrationId',
        label: 'Integration',
        filled,
        choices: [{ value: 'new', text: 'A new one for this shop' }, ...integrations],
        hint: 'Order IDs are unique within an integration, so each shop usually has its own.',
      }),
    )}</div>`,
  );
}

/** @param address that the platform sends to */
function connectionPage(
  ctx: PageContext<'partner'>,
  { connection, refunds, integrationName }: ConnectionDetails,
  address: string,
  filled: Filled,
): Page {
  const { _id, platform, shop, mode, pausedAt, createdAt, seen } = connection;
  const isChangeable = mayChange(ctx, mode);
  const wrong = filled.errors[''];
  return page(
    { title: shop ?? platformNames[platform], mode, crumbs: crumbs() },
    wrong === undefined ? nothing : notice('bad', wrong),
    pausedAt === null
      ? nothing
      : notice('info', 'The connection is paused: what arrives is accepted and not counted.'),
    refusedNotice(connection),
    section(
      'Set it up',
      html`<p>The address to send to:</p><p>${code(address, { canCopy: true })}</p><ol>${platformSteps[platform].map((step) => html`<li>${step}</li>`)}</ol>`,
      stepList(checklist(connection)),
    ),
    section(
      'What arrived',
      metrics([
        { name: 'Purchases', value: number(seen.purchases) },
        { name: 'Refunds', value: number(seen.refunds) },
        { name: 'Repeats', value: number(seen.repeats) },
        { name: 'Of no concern', value: number(seen.ignored) },
        { name: 'Refused', value: number(seen.refused) },
      ]),
      definitions([
        ['Last delivery', time(seen.last?.at ?? null, 'none yet')],
        ['Its topic', seen.last?.topic || '–'],
        ['Its outcome', seen.last ? (seen.last.why ?? meaningOf(seen.last.code)) : '–'],
        ['Platform', platformNames[platform]],
        ['Integration', integrationName ?? '–'],
        ['Connected', time(createdAt)],
        ['ID', code(_id, { canCopy: true })],
      ]),
      html`<p class="after"><a href="/events?mode=${mode}">Every delivery is in the request log</a></p>`,
    ),
    refunds.length === 0 ? nothing : refundsSection(refunds),
    repairSection(ctx, connection, isChangeable, filled),
    earnsSection(ctx, connection, isChangeable, filled),
    secretsSection(ctx, connection, isChangeable, filled),
    isChangeable ? endingSection(ctx, connection) : nothing,
  );
}

const refusedNotice = ({ seen: { lastRefused, last } }: ConnectionDoc): Html =>
  lastRefused === undefined || last?.requestId !== lastRefused.requestId
    ? nothing
    : notice(
        'bad',
        html`The last delivery was refused (${time(lastRefused.at)}). ${lastRefused.why}`,
      );

/** Filled by what arrived, never by hand. */
function checklist({ seen }: ConnectionDoc): Step[] {
  const { firstDeliveryAt, firstProvenAt, firstPurchase, firstRefund } = seen;
  const items: { title: string; text: string; at: Date | undefined; eventId?: string }[] = [
    {
      title: 'The first delivery arrived',
      text: 'Save the webhook at the platform, or place an order.',
      at: firstDeliveryAt,
    },
    {
      title: 'Its signature is right',
      text: 'The platform signs with the secret that you pasted here.',
      at: firstProvenAt,
    },
    {
      title: 'The first order counted',
      text: 'Place an order, and pay it.',
      at: firstPurchase?.at,
      ...(firstPurchase && { eventId: firstPurchase.eventId }),
    },
    {
      title: 'The first refund counted',
      text: 'Refund that order, or a part of it.',
      at: firstRefund?.at,
      ...(firstRefund && { eventId: firstRefund.eventId }),
    },
  ];
  const next = items.findIndex(({ at }) => at === undefined);
  return items.map(({ title, text, at, eventId }, place) => ({
    title,
    state: at !== undefined ? 'DONE' : place === next ? 'NEXT' : 'TO_DO',
    ...(at === undefined
      ? { text }
      : {
          evidence: [
            eventId === undefined ? time(at) : html`<a href="/events/${eventId}">${time(at)}</a>`,
          ],
        }),
  }));
}

const refundStates: Readonly<Record<string, string>> = {
  WAITING: 'Waits for its order',
  NOT_MATCHED: 'Not matched: its order was never counted',
  FAILED: 'Failed at the platform after it was counted: we look at it',
  SETTLED: 'Failed at the platform: we settled it',
};

const refundsSection = (refunds: ConnectionDetails['refunds']): Html =>
  section(
    'Refunds to look at',
    html`<p>A refund waits 30 days for its order. If one failed at the platform, the money did not go back: our operators decide about the reward.</p>`,
    table({
      caption: 'Refunds to look at',
      columns: {
        Order: ({ externalOrderId }) => code(externalOrderId),
        Refund: ({ externalRefundId }) => code(externalRefundId),
        Received: ({ receivedAt }) => time(receivedAt),
        State: ({ state }) => refundStates[state] ?? state,
      },
      rows: refunds,
    }),
  );

function repairSection(
  ctx: PageContext<'partner'>,
  connection: ConnectionDoc,
  isChangeable: boolean,
  filled: Filled,
): Html {
  const { _id, platform, readKey, repair } = connection;
  const { key, keyHint, secret } = readKeyFields[platform];
  const part = (name: string, label: string, hint: string) =>
    field({
      name,
      label,
      filled,
      hint,
      type: 'password',
      isRequired: true,
      maxLength: 512,
      autocomplete: 'off',
    });
  const save = formBehind(
    ctx,
    {
      ask: readKey ? 'Replace the key' : 'Let us ask the shop',
      action: `/connections/${_id}/read-key`,
      submit: 'Save the key',
      filled,
    },
    part('readSecret', key, keyHint),
    secret === null ? nothing : part('consumerSecret', secret, 'It is shown once, with the key.'),
  );
  return section(
    'Lost deliveries',
    readKey
      ? html`<p>Once a day, we ask the shop what was bought and refunded, and report what never arrived.</p>`
      : html`<p>Deliveries get lost. With a key that reads orders, we ask the shop once a day what was bought and refunded, and report what never arrived. Without one, ${ctx.state.mayOpen('/reconciliation/new') ? html`<a href="/reconciliation/new">compare the shop’s own export</a>` : 'compare the shop’s own export'}.</p>`,
    readKey ? repairResult(connection) : nothing,
    repair && repair.findings.length > 0 ? findingsTable(repair) : nothing,
    isChangeable ? html`<div class="after">${save}</div>` : nothing,
    isChangeable && readKey
      ? html`<div class="after">${confirm(ctx, {
          ask: 'Remove the key …',
          question: 'We no longer ask the shop. Revoke the key at the platform, too.',
          action: `/connections/${_id}/remove-read-key`,
          submit: 'Remove key',
        })}</div>`
      : nothing,
  );
}

function repairResult({ repair, askAt, readKey }: ConnectionDoc): Html {
  const problem = repair?.problem ?? null;
  return html`${
    problem === null
      ? nothing
      : notice(
          'bad',
          `${askProblemWords[problem.code]}${problem.status === null ? '' : ` It answered ${problem.status}.`}`,
        )
  }${definitions([
    ['Key saved', time(readKey?.savedAt ?? null)],
    ['Last asked', time(repair?.endedAt ?? null, 'not yet: within an hour')],
    ['Asked for changes since', time(repair?.since ?? null, '–')],
    ['Orders or payments', repair ? number(repair.asked) : '–'],
    ['Missing', repair ? number(repair.missing) : '–'],
    ['Reported now', repair ? number(repair.reported) : '–'],
    ['Next', time(askAt ?? null, '–')],
  ])}`;
}

const findingsTable = ({ findings }: RepairRun): Html =>
  table({
    caption: 'What was missing',
    columns: {
      Order: ({ externalOrderId }) => (externalOrderId === null ? '–' : code(externalOrderId)),
      What: ({ type }) => (type === 'PURCHASE' ? 'Purchase' : 'Refund'),
      Result: ({ eventId, why }) =>
        eventId === null ? (why ?? '–') : html`<a href="/events/${eventId}">Reported</a>`,
    },
    rows: findings,
  });

function earnsSection(
  ctx: PageContext<'partner'>,
  { _id, earns }: ConnectionDoc,
  isChangeable: boolean,
  filled: Filled,
): Html {
  const also = earningParts.filter((part) => earns[part]);
  const usual = earningParts.every((part) => earns[part] === usualEarns[part]);
  const values = { values: { earns: [...also] }, errors: filled.errors };
  return section(
    'What earns points',
    html`<p>Goods after discounts${usual ? ', and nothing else' : html`, and: ${also.map((part) => earningPartWords[part].toLowerCase()).join(', ')}`}.</p>`,
    html`<p class="muted">For example, of goods for 50.00 with a discount of 5.00, tax of 9.00 and shipping of 4.00: ${exampleOf(earns)} earns. Each order’s page shows how its own was computed.</p>`,
    isChangeable
      ? html`<div class="after">${formBehind(
          ctx,
          {
            ask: 'Change what earns points',
            action: `/connections/${_id}/earns`,
            submit: 'Save',
            filled: values,
          },
          tickList({
            name: 'earns',
            label: 'Besides goods after discounts',
            filled: values,
            choices: earningParts.map((value) => ({ value, text: earningPartWords[value] })),
            hint: 'For new orders. Refunds are computed as their order was.',
          }),
        )}</div>`
      : nothing,
  );
}

/** Of goods for 45.00 after discounts. */
const exampleOf = ({ tax, shipping }: ConnectionDoc['earns']): string =>
  `${45 + (tax ? 9 : 0) + (shipping ? 4 : 0)}.00`;

function secretsSection(
  ctx: PageContext<'partner'>,
  { _id, platform, secrets }: ConnectionDoc,
  isChangeable: boolean,
  filled: Filled,
): Html {
  const isRotating = secrets.length > 1;
  const { secret, secretHint } = platformFields[platform];
  const remove = (secretId: string): Html =>
    isChangeable && isRotating
      ? confirm(
          ctx,
          {
            ask: 'Remove …',
            question: 'What the platform signs with it will be refused.',
            action: `/connections/${_id}/remove-secret`,
            submit: 'Remove secret',
          },
          hidden('secretId', secretId),
        )
      : html`<span class="muted">–</span>`;
  return section(
    'Secrets',
    table({
      caption: 'Secrets',
      columns: {
        Saved: ({ createdAt }) => time(createdAt),
        'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        Remove: ({ secretId }) => remove(secretId),
      },
      rows: secrets,
    }),
    isChangeable && !isRotating
      ? html`<div class="after">${formBehind(
          ctx,
          {
            ask: 'Rotate the secret',
            action: `/connections/${_id}/secret`,
            submit: 'Save the new secret',
            filled,
          },
          field({
            name: 'secret',
            label: secret,
            filled,
            hint: html`${secretHint} Both work until you remove the old one.`,
            type: 'password',
            isRequired: true,
            maxLength: 512,
            autocomplete: 'off',
          }),
        )}</div>`
      : nothing,
  );
}

function endingSection(ctx: PageContext<'partner'>, { _id, pausedAt }: ConnectionDoc): Html {
  const path = `/connections/${_id}`;
  const isPaused = pausedAt !== null;
  return section(
    'Pause or remove',
    form(ctx, {
      action: `${path}/${isPaused ? 'resume' : 'pause'}`,
      submit: isPaused ? 'Resume' : 'Pause',
      isInline: true,
    }),
    html`<div class="after">${confirm(ctx, {
      ask: 'Remove …',
      question:
        'Its address stops working within seconds, and its secrets are destroyed. What it reported stays. Remove the webhooks at the platform, too.',
      action: `${path}/remove`,
      submit: 'Remove connection',
    })}</div>`,
  );
}
