import Joi from 'joi';
import { attempt } from '../../clients/typescript/attempt.ts';
import { PartnerNetworkError } from '../../clients/typescript/errors.ts';
import { rehearsalLimits } from '../../domain/rehearsal.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { execute } from '../../operations/execute.ts';
import { beginRehearsal, stopRehearsal } from '../../operations/rehearsals.ts';
import { sendTestRequest } from '../../operations/test-console.ts';
import { readConsoleStart } from '../../views/console.ts';
import { readOrder } from '../../views/event.ts';
import { findActiveTestKey, readTestKeys } from '../../views/integrations.ts';
import { readRehearsal } from '../../views/rehearsals.ts';
import { answerSection, type ConsoleAnswer, factsOf } from '../components/console.ts';
import { type Html, nothing } from '../components/format.ts';
import { render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  bodyOf,
  type ConsoleForm,
  consoleSchema,
  consoleTypes,
  missingIn,
  newIdempotencyKey,
  pathOf,
  purchaseToSend,
} from '../forms/console-form.ts';
import { countField } from '../forms/fields.ts';
import { FieldError, type Filled, type Problems } from '../forms/submit.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import {
  type BuiltRequest,
  type ConsoleTab,
  consolePage,
  previewSection,
  progressSection,
  rehearsalPage,
} from '../pages/console.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const responseTimeoutMs = 10_000;
const spec = { path: '/console', audience: 'partner', permission: 'test-event.send' } as const;
const querySchema = Joi.object<ConsoleTab>({
  type: Joi.string()
    .valid(...consoleTypes)
    .default('purchase'),
  as: Joi.string().valid('fields', 'json').default('fields'),
});

/** The test console: composes a TEST purchase or refund, shows what is signed, and sends it. */
export function consolePages(routes: Routes): void {
  routes.page(spec, showConsole);
  routes.action(spec, {
    schema: consoleSchema,
    check: checkRequest,
    act: previewOrSend,
    retry: showAgain,
  });
}

const rehearsing = { ...spec, path: '/console/rehearsal' } as const;

/** The switch that makes TEST hard for a key, and how the integration did. */
export function rehearsalPages(routes: Routes): void {
  routes.page(rehearsing, showRehearsal);
  routes.action(rehearsing, {
    schema: Joi.object<{ credentialId: string; minutes: number }>({
      credentialId: Joi.string().max(64).required().messages({ 'any.required': 'Choose a key.' }),
      minutes: countField(1, rehearsalLimits.maxMinutes).default(rehearsalLimits.usualMinutes),
    }),
    act: startRehearsal,
    retry: showRehearsal,
  });
  routes.action(
    { ...spec, path: '/console/rehearsal/end' },
    {
      schema: Joi.object<{ rehearsalId: string }>({ rehearsalId: Joi.string().max(64).required() }),
      act: endRehearsal,
      retry: showRehearsal,
    },
  );
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

async function startRehearsal(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { credentialId, minutes }: { credentialId: string; minutes: number },
): Promise<void> {
  const key = await findTestKey(ctx, deps, credentialId);
  if (!key) throw new FieldError('credentialId', noKey());
  await execute(deps, beginRehearsal, actorOf(ctx), { credentialId: key._id, minutes });
  redirect(ctx, '/console/rehearsal', 'Rehearsal started.');
}

async function endRehearsal(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { rehearsalId }: { rehearsalId: string },
): Promise<void> {
  await execute(deps, stopRehearsal, actorOf(ctx), { partnerId: ownScope(ctx), rehearsalId });
  redirect(ctx, '/console/rehearsal', 'Rehearsal ended.');
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

async function checkRequest(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  form: Partial<ConsoleForm>,
): Promise<Problems> {
  const { credentialId: keyId } = form;
  const isKnown = keyId === undefined || (await findTestKey(ctx, deps, keyId)) !== null;
  return { ...(!isKnown && { credentialId: noKey() }), ...missingIn(form) };
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
  const built = { form, key, pathname: pathOf[form.type], body: bodyOf(form), atMs: now() };
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
): Promise<ConsoleAnswer> {
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
    if (!(error instanceof PartnerNetworkError)) throw error;
    return { status: null, headers: [], text: '', tookMs: took() };
  }
}

async function progressOf(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { type, credentialId }: ConsoleForm,
  answer: ConsoleAnswer,
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
