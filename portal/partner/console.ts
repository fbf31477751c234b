import Joi from 'joi';
import { attempt } from '../../clients/typescript/attempt.ts';
import { ConnectionError } from '../../clients/typescript/errors.ts';
import { canonicalString, headerNames } from '../../clients/typescript/signature.ts';
import { verifiedContact } from '../../domain/customer.ts';
import { type RehearsalProblem, rehearsalLimits } from '../../domain/rehearsal.ts';
import { unclaimedStates } from '../../domain/reward.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { execute } from '../../operations/execute.ts';
import { beginRehearsal, stopRehearsal } from '../../operations/rehearsals.ts';
import { type SentRequest, sendTestRequest } from '../../operations/test-console.ts';
import { type OrderDetails, readOrder } from '../../views/event.ts';
import { findActiveTestKey, readTestKeys } from '../../views/integrations.ts';
import { readRehearsal, type ShownRehearsal } from '../../views/rehearsals.ts';
import { readConsoleStart } from '../../views/test-console.ts';
import {
  code,
  codeBlock,
  definitions,
  emptyState,
  linkButton,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import { answerSection, factsOf } from '../components/console.ts';
import {
  amountField,
  csrfInput,
  field,
  form,
  hidden,
  numberField,
  select,
  textArea,
} from '../components/form.ts';
import { type Html, html, nothing, number, type Part, time } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { curlLine } from '../documents/quickstarts.ts';
import {
  type ConsoleForm,
  type ConsoleType,
  consoleSchema,
  consoleTypes,
  missingIn,
  newIdempotencyKey,
  pathOf,
  purchaseToSend,
  requestBodyOf,
} from '../forms/console-form.ts';
import { countField } from '../forms/fields.ts';
import { FieldError, type Filled, type Problems } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { verdictWords } from '../words/rehearsal-words.ts';
import { orderStory } from './order.ts';

const responseTimeoutMs = 10_000;

const querySchema = Joi.object<ConsoleTab>({
  type: Joi.string()
    .valid(...consoleTypes)
    .default('purchase'),
  as: Joi.string().valid('fields', 'json').default('fields'),
});

/** The test console: composes a TEST purchase or refund, shows what is signed, and sends it. */
export function consolePages(routes: RoutesOf<'partner'>): void {
  routes.page('/console', showConsole, { operation: sendTestRequest });
  routes.action(
    '/console',
    { schema: consoleSchema, check: checkRequest, act: previewOrSend, retry: showAgain },
    { operation: sendTestRequest },
  );
}

const rehearsalSchema = Joi.object<{ credentialId: string; minutes: number }>({
  credentialId: Joi.string().max(64).required().messages({ 'any.required': 'Choose a key.' }),
  minutes: countField(1, rehearsalLimits.maxMinutes).default(rehearsalLimits.usualMinutes),
});

/** The switch that makes TEST hard for a key, and how the integration did. */
export function rehearsalPages(routes: RoutesOf<'partner'>): void {
  routes.operation('/console/rehearsal', beginRehearsal, {
    page: showRehearsal,
    form: rehearsalSchema,
    check: checkKey,
    to: '/console/rehearsal',
    said: 'Rehearsal started.',
  });
  routes.operation('/console/rehearsal/end', stopRehearsal, {
    on: showRehearsal,
    fields: ['rehearsalId'],
    to: '/console/rehearsal',
    said: 'Rehearsal ended.',
  });
}

async function showRehearsal(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = { values: { minutes: String(rehearsalLimits.usualMinutes) }, errors: {} },
): Promise<void> {
  const [keys, shown] = await Promise.all([
    readTestKeys(deps, ownScope(ctx)),
    readRehearsal(deps, ownScope(ctx)),
  ]);
  render(ctx, rehearsalPage(ctx, keys, shown, filled));
}

async function showConsole(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const selected = queryOf(ctx, querySchema);
  const start = await readConsoleStart(deps, ownScope(ctx), ctx.state.viewer.partner.currency);
  await show(ctx, deps, selected, { values: startOf(selected, start, deps.now()), errors: {} });
}

async function showAgain(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled,
): Promise<void> {
  const { type, as } = filled.values;
  const { value, error } = querySchema.validate({ type, as });
  await show(ctx, deps, error ? { type: 'purchase', as: 'fields' } : value, filled);
}

async function show(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  selected: ConsoleTab,
  filled: Filled,
  { results = [], isSent = false }: { results?: readonly Html[]; isSent?: boolean } = {},
): Promise<void> {
  const keys = await readTestKeys(deps, ownScope(ctx));
  const here = selected.type === 'refund' ? '/console?type=refund' : '/console';
  await renderWithNext(ctx, deps, consolePage(ctx, selected, keys, filled, { results, isSent }), {
    here,
  });
}

async function checkKey(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { credentialId: keyId }: { credentialId?: string },
): Promise<Problems> {
  const isKnown = keyId === undefined || (await findTestKey(ctx, deps, keyId)) !== null;
  return isKnown ? {} : { credentialId: noKey() };
}

async function checkRequest(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  form: Partial<ConsoleForm>,
): Promise<Problems> {
  return { ...(await checkKey(ctx, deps, form)), ...missingIn(form) };
}

async function previewOrSend(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  form: ConsoleForm,
): Promise<void> {
  const { now, throttle } = deps;
  const { user } = ctx.state.viewer;
  const key = await findTestKey(ctx, deps, form.credentialId);
  if (!key) throw new FieldError('credentialId', noKey());
  const built = { form, key, pathname: pathOf[form.type], body: requestBodyOf(form), atMs: now() };
  const filled = { values: ctx.state.form ?? {}, errors: {} };
  if (form.step === 'preview') {
    return await show(ctx, deps, form, filled, { results: [preview(deps, built, false)] });
  }
  throttle.tryTestSend(user._id);
  const answer = await execute(
    { ...deps, send: () => send(deps, built) },
    sendTestRequest,
    actorOf(ctx),
    { credentialId: key._id, type: form.type },
  );
  const results = [
    answerSection(answer, key._id),
    await progressOf(ctx, deps, form, answer),
    preview(deps, built, true),
  ];
  await show(ctx, deps, form, filled, { results, isSent: true });
}

/** Finds a TEST key. LIVE keys are not accepted, so that a trial never moves money. */
async function findTestKey(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  keyId: string,
): Promise<CredentialDoc | null> {
  const key = await findActiveTestKey(deps, ownScope(ctx), keyId);
  return key && newestSecretOf(key) ? key : null;
}

const noKey = () => 'Choose one of your active TEST keys.';

const preview = ({ config }: PageDeps, built: BuiltRequest, isSent: boolean): Html => {
  const { http, portal } = config;
  return previewSection(built, { brand: http.headerBrand, apiUrl: portal.apiUrl, isSent });
};

/** Signs the request as a partner’s back end does, with the key's newest secret, and sends it. */
async function send(
  { config, sealer, apiUrl }: PageDeps,
  { form, key, pathname, body, atMs }: BuiltRequest,
): Promise<SentRequest> {
  const secret = newestSecretOf(key);
  if (!secret) throw new Error(`${key._id} has no active secret`);
  const connection = {
    key: key.apiKey,
    secret: sealer.open(secret.sealed, key._id),
    brand: config.http.headerBrand,
    fetch,
    timeoutMs: responseTimeoutMs,
  };
  const url = new URL(pathname, apiUrl);
  const call = { method: 'POST', url, body: Buffer.from(body) } as const;
  const startedMs = performance.now();
  const took = () => Math.round(performance.now() - startedMs);
  try {
    const { idempotencyKey } = form;
    const { response, text } = await attempt(connection, { ...call, idempotencyKey }, atMs);
    return { status: response.status, headers: [...response.headers], text, tookMs: took() };
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { status: null, headers: [], text: '', tookMs: took() };
  }
}

async function progressOf(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { type, credentialId }: ConsoleForm,
  answer: SentRequest,
): Promise<Html> {
  const { rewardId, externalOrderId } = factsOf(answer);
  if (rewardId === undefined) return nothing;
  const order = await readOrder(deps, ownScope(ctx), rewardId);
  if (order === null) return nothing;
  const idempotencyKey = newIdempotencyKey(deps.now());
  const refund =
    type === 'refund' || externalOrderId === undefined
      ? null
      : { credentialId, externalOrderId, idempotencyKey };
  return progressSection(ctx, order, refund);
}

const newestSecretOf = ({ secrets }: CredentialDoc) =>
  secrets.findLast(({ revokedAt }) => revokedAt === null);

/** The initial form, with everything that a first request needs. */
function startOf(
  { type }: ConsoleTab,
  { currency, lastOrder }: Awaited<ReturnType<typeof readConsoleStart>>,
  atMs: number,
): Record<string, string> {
  if (type === 'purchase') return purchaseToSend(currency, atMs);
  const externalOrderId = lastOrder ?? '';
  const json = JSON.stringify({ externalOrderId, reason: 'Returned' });
  return { externalOrderId, idempotencyKey: newIdempotencyKey(atMs), json };
}

type ConsoleTab = Pick<ConsoleForm, 'type' | 'as'>;

/** A request ready to be signed and sent, without the secret. */
interface BuiltRequest {
  form: ConsoleForm;
  key: CredentialDoc;
  pathname: string;
  body: string;
  atMs: number;
}

/** @param results of the preview or the request @param isSent folds the form, since the response comes first */
function consolePage(
  ctx: PageContext<'partner'>,
  selected: ConsoleTab,
  keys: readonly CredentialDoc[],
  filled: Filled,
  { results, isSent }: { results: readonly Html[]; isSent: boolean },
): Page {
  return page(
    {
      title: 'Test console',
      mode: 'TEST',
      lead: 'Report a purchase or refund in TEST: see exactly what is signed, send it, and follow what happens.',
    },
    tabs(selected),
    ...results,
    isSent
      ? folded('Change it and send it again', requestForm(ctx, selected, filled, keys))
      : section(
          selected.type === 'purchase' ? 'The purchase' : 'The refund',
          keys.length === 0
            ? emptyState(
                'No TEST key yet',
                'Requests are signed with a key’s secret. Generate a key, and we sign requests with it here.',
                linkButton('/keys/new?mode=TEST', 'Generate TEST key'),
              )
            : requestForm(ctx, selected, filled, keys),
        ),
    html`<p class="way-on"><a href="/console/rehearsal">Rehearse failures</a> <a href="/doctor">Signature doctor</a> <a href="/quickstarts">Quick starts</a> <a href="/reference">API reference</a></p>`,
  );
}

/** A part of a page that is not what it was opened for. */
const folded = (title: string, ...parts: Html[]): Html =>
  html`<details class="card"><summary>${title}</summary>${parts}</details>`;

/** What each problem of a rehearsal means, and how it is mended. */
const problemWords: Readonly<Record<RehearsalProblem, string>> = {
  NOT_RETRIED:
    'Not sent again within a minute. Send the same request again when there is no response, a 429 or a 503.',
  OTHER_BYTES: 'Sent again with another body. Store the body with its key, and send those bytes.',
  TOO_EARLY: 'Sent again before Retry-After was over.',
  LOST_FOR_GOOD: 'Never recorded. Retry until there is a response, and compare a list every night.',
  WEBHOOK_REFUSED:
    'Webhooks that an endpoint did not answer with 2xx: its page shows which. Accept repeats in any order, try each signature, and remove endpoints that nobody listens to.',
  MISSING_ORDERS: 'Missing in the newest comparison of orders.',
};

/** The switch that makes TEST hard for a key, and how the integration did. */
function rehearsalPage(
  ctx: PageContext<'partner'>,
  keys: readonly CredentialDoc[],
  shown: ShownRehearsal | null,
  filled: Filled,
): Page {
  return page(
    {
      title: 'Rehearse failures',
      crumbs: [['Test console', '/console']],
      mode: 'TEST',
      lead: 'For some minutes, TEST loses answers, refuses requests with 503 and 429, answers late, and sends webhooks twice, out of order, late, or with another signature besides. LIVE is never affected.',
    },
    section(
      shown?.isOn ? 'A rehearsal is on' : 'Start a rehearsal',
      shown?.isOn
        ? html`<p>Until ${time(shown.rehearsal.endsAt)}. Let your integration sell in TEST.</p>${form(ctx, { action: '/console/rehearsal/end', submit: 'End rehearsal' }, hidden('rehearsalId', shown.rehearsal._id))}`
        : keys.length === 0
          ? emptyState(
              'No TEST key yet',
              'A rehearsal is of the requests of one key.',
              linkButton('/keys/new?mode=TEST', 'Generate TEST key'),
            )
          : form(
              ctx,
              { action: '/console/rehearsal', submit: 'Start rehearsal', filled },
              select({
                name: 'credentialId',
                label: 'TEST key',
                filled,
                choices: keys.map(({ _id, apiKey }) => ({ value: _id, text: apiKey })),
              }),
              numberField({
                reads: 'count',
                name: 'minutes',
                label: 'Minutes',
                filled,
                hint: `Up to ${rehearsalLimits.maxMinutes}.`,
              }),
            ),
    ),
    shown === null ? nothing : section('How your integration did', rehearsalReport(shown)),
  );
}

function rehearsalReport({ rehearsal, report }: ShownRehearsal): Html {
  const { faults, retried, webhooks, missingOrders, problems, verdict } = report;
  return html`<p><strong>${verdictWords[verdict]}</strong></p>${definitions([
    ['Rehearsal', code(rehearsal._id)],
    ['Started', time(rehearsal.startedAt)],
    ['Lost answers', number(faults.LOST)],
    ['503', number(faults.UNAVAILABLE)],
    ['429', number(faults.RATE_LIMITED)],
    ['Late answers', number(faults.SLOW)],
    ['Sent again with the same key', number(retried)],
    ...Object.entries(webhooks).map(
      ([way, { sent, accepted }]) =>
        [`Webhooks: ${wordsOf(way)}`, `${accepted} of ${sent} accepted`] as const,
    ),
    ['Missing orders', missingOrders === null ? 'No list was compared' : number(missingOrders)],
  ])}${
    problems.length === 0
      ? nothing
      : table({
          caption: 'Problems',
          columns: {
            Problem: ({ problem }) => problemWords[problem],
            Times: { number: ({ count }) => count },
            Requests: ({ requestIds }) =>
              html`${requestIds.map((id) => html`<a href="/requests/${id}"><code>${id}</code></a> `)}`,
          },
          rows: problems,
        })
  }`;
}

/** What is signed and sent. @param isSent folds it, since the response comes first @param apiUrl of the API, as partners reach it */
function previewSection(
  { form, key, pathname, body, atMs }: BuiltRequest,
  { brand, apiUrl, isSent }: { brand: string; apiUrl: string; isSent: boolean },
): Html {
  const names = headerNames(brand);
  const timestamp = String(Math.floor(atMs / 1_000));
  const headers = [
    `POST ${pathname}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${form.idempotencyKey}`,
    `${names.key}: ${key.apiKey}`,
    `${names.timestamp}: ${timestamp}`,
    `${names.signature}: sha256=<HMAC-SHA256 of the canonical string, with the secret, in hex>`,
  ].join('\n');
  const { idempotencyKey } = form;
  const url = apiUrl.replace(/\/+$/, '');
  const show = isSent ? folded : section;
  return show(
    isSent ? 'What was signed and sent' : 'What is signed and sent',
    html`<h3>Canonical string</h3>`,
    codeBlock(canonicalString({ method: 'POST', pathname, timestamp, body }), 'Canonical string'),
    html`<h3>Headers</h3>`,
    codeBlock(headers, 'Headers'),
    html`<h3>Body</h3>`,
    codeBlock(body, 'Body'),
    html`<h3>From your shell</h3><p class="muted">With the key’s secret in <code>$SECRET</code>; we never show it again.</p>`,
    codeBlock(curlLine({ url, pathname, key: key.apiKey, brand, idempotencyKey, body }), 'Command'),
  );
}

/** A refund with all its fields. */
type ReadyRefund = Pick<ConsoleForm, 'credentialId' | 'idempotencyKey'> & {
  externalOrderId: string;
};

/**
 * The order so far; the workflow continues after the response.
 * @param refund for the purchase that was sent; null after a refund
 */
function progressSection(
  ctx: PageContext<'partner'>,
  order: OrderDetails,
  refund: ReadyRefund | null,
): Html {
  const { reward, purchase } = order;
  const isOver = reward !== null && !unclaimedStates.includes(reward.state);
  return html`<div class="brief">${orderStory(ctx, order)}</div><p class="way-on">${isOver || refund === null ? nothing : refundNow(ctx, refund)} <a href="/orders/${purchase.rewardId}">The order</a> <a href="/console?type=refund">Report a refund</a></p>`;
}

/** A button that sends the full refund of the purchase. */
const refundNow = (ctx: PageContext<'partner'>, refund: ReadyRefund): Html =>
  form(
    ctx,
    { action: '/console', submit: 'Refund this purchase', isInline: true },
    Object.entries({ type: 'refund', as: 'fields', step: 'send', ...refund }).map(([name, value]) =>
      hidden(name, value),
    ),
  );

function tabs({ type, as }: ConsoleTab): Html {
  const tab = (to: ConsoleTab, text: string) =>
    html`<li class="tab"><a class="tab-link" href="/console?type=${to.type}&as=${to.as}" ${to.type === type && to.as === as ? html`aria-current="page"` : nothing}>${text}</a></li>`;
  const of = (one: ConsoleType, name: string) => [
    tab({ type: one, as: 'fields' }, name),
    tab({ type: one, as: 'json' }, `${name} as JSON`),
  ];
  return html`<nav class="tabs" aria-label="What to send"><ul>${of('purchase', 'Purchase')}${of('refund', 'Refund')}</ul></nav>`;
}

function requestForm(
  ctx: PageContext<'partner'>,
  { type, as }: ConsoleTab,
  filled: Filled,
  keys: readonly CredentialDoc[],
): Html {
  return html`<form method="post" action="/console" class="stacked">${csrfInput(ctx)}${hidden('type', type)}${hidden('as', as)}
${select({
  name: 'credentialId',
  label: 'TEST key',
  filled,
  choices: keys.map(({ _id, apiKey }) => ({ value: _id, text: apiKey })),
})}
${as === 'json' ? textArea({ name: 'json', label: 'Body', rows: 10, filled, maxLength: 20_000, hint: 'Sent exactly as shown, byte for byte.' }) : fieldsOf(ctx, type, filled)}
${field({ name: 'idempotencyKey', label: 'Idempotency key', filled, maxLength: 300, hint: html`The same key and body get the same response. <a href="/console?type=${type}&as=${as}">New request</a> starts over.` })}
<p class="buttons"><button type="submit" name="step" value="preview" class="secondary">Preview</button>
<button type="submit" name="step" value="send" class="primary">Sign and send</button></p></form>`;
}

function fieldsOf(ctx: PageContext<'partner'>, type: ConsoleType, filled: Filled): Html {
  const order = field({
    name: 'externalOrderId',
    label: 'Your order ID',
    filled,
    isRequired: true,
    maxLength: 500,
  });
  if (type === 'refund') {
    return html`${order}${field({ name: 'externalRefundId', label: 'Your refund ID', filled, maxLength: 500, hint: 'Optional, unless only a part came back.' })}
${amountField({ name: 'refundAmount', label: 'Amount', filled, currency: ctx.state.viewer.partner.currency, hint: 'The part of the order that came back. Empty for all that is left.' })}
${field({ name: 'reason', label: 'Reason', filled, maxLength: 1_000, hint: 'Optional.' })}`;
  }
  return html`${order}${field({ name: 'email', label: 'Customer’s email', filled, isRequired: true, maxLength: 500, hint: whoIsMailed(ctx) })}
${amountField({ name: 'amount', label: 'Subtotal', filled, isRequired: true, currency: ctx.state.viewer.partner.currency, currencyIn: '#currency', hint: undefined })}
${field({ name: 'currency', label: 'Currency', filled, maxLength: 3 })}`;
}

/** In TEST, no customer is contacted: emails go to the partner's contact once it is verified. */
function whoIsMailed(ctx: PageContext<'partner'>): Part {
  const { viewer } = ctx.state;
  const contact = verifiedContact(viewer.partner);
  return contact === null
    ? html`In TEST, nothing is sent to this address. Claim emails go to your contact email once it is verified. ${hasPermission(viewer, 'partner.update') ? html`<a href="/profile#contacts">Verify it</a>` : 'Ask an owner to verify it.'}`
    : `In TEST, the claim email goes to your contact, ${contact}, not to this address.`;
}
