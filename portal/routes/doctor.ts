import { setImmediate } from 'node:timers/promises';
import Joi from 'joi';
import { diagnose, diagnoseGiven, diagnoseWebhook } from '../../clients/typescript/doctor/index.ts';
import { pageSchema } from '../../http/query.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { findOwnKey } from '../../views/integrations.ts';
import {
  findKeyOfRefused,
  findRefusedRequest,
  knownSecrets,
  listRefusedRequests,
  readRefusedByKey,
} from '../../views/requests.ts';
import { findOwnWebhookEndpoint, findSentBody, knownWebhookSecrets } from '../../views/webhooks.ts';
import { hostOf } from '../components/tables.ts';
import { render } from '../components/view.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { linesOfText } from '../forms/fields.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import {
  type DiagnosedRequest,
  diagnosisPage,
  doctorPage,
  pastePage,
  refusedPage,
} from '../pages/doctor.ts';
import { webhookDoctorPage } from '../pages/webhook-changes.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

/** Only the newest in the list are diagnosed; the others on their own pages. */
const maxDiagnosed = 10;
const reading = { audience: 'partner', permission: 'refused-request.read' } as const;
const ofKey = { ...reading, params: { credentialId: 'credential' } } as const;
const pasting = { ...ofKey, path: '/doctor/:credentialId/paste' } as const;

interface PastedRequest {
  method: 'GET' | 'POST';
  path: string;
  timestamp?: string;
  signature?: string;
  canonical?: string;
  body?: string;
}
const pastedSchema = Joi.object<PastedRequest>({
  method: Joi.string().valid('GET', 'POST').default('POST'),
  path: Joi.string()
    .max(1_000)
    .pattern(/^\/[\x21-\x7e]*$/)
    .required()
    .messages({
      'any.required': 'Enter the path you send to.',
      'string.pattern.base': 'Enter only the path, such as /api/v1/partner/purchases.',
    }),
  timestamp: Joi.string().trim().max(100),
  signature: Joi.string().max(512),
  canonical: linesOfText(4_000),
  body: linesOfText(20_000),
});

/** The signature doctor: explains refused signatures, without revealing the correct ones. */
export function doctorPages(routes: Routes): void {
  routes.page({ ...reading, path: '/doctor' }, showKeys);
  routes.page({ ...ofKey, path: '/doctor/:credentialId' }, showRefused);
  routes.page(
    { ...reading, path: '/doctor/requests/:requestId', params: { requestId: 'refusedRequest' } },
    showDiagnosis,
  );
  routes.page(pasting, showPaste);
  routes.action(pasting, { schema: pastedSchema, act: comparePasted, retry: showPaste });
}

async function showKeys(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const keys = await readRefusedByKey(deps, ownScope(ctx), modeOf(ctx), queryOf(ctx, pageSchema));
  render(ctx, doctorPage(ctx, keys));
}

async function showRefused(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const key = await keyOf(ctx, deps);
  await recordRead(ctx, deps, key);
  deps.throttle.tryDiagnosis(ctx.state.viewer.user._id);
  const [refused, known] = await Promise.all([
    listRefusedRequests(deps, key),
    knownSecrets(deps, key),
  ]);
  const diagnosed: DiagnosedRequest[] = [];
  for (const one of refused.slice(0, maxDiagnosed)) {
    // Each takes tens of milliseconds: yields to other requests in between.
    await setImmediate();
    diagnosed.push({ ...one, diagnosis: diagnose(one.request, known) });
  }
  render(ctx, refusedPage(key, [...diagnosed, ...refused.slice(maxDiagnosed)]));
}

async function showDiagnosis(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const requestId = param(ctx, 'requestId');
  const key = await findKeyOfRefused(deps, ownScope(ctx), requestId);
  deps.throttle.tryDiagnosis(ctx.state.viewer.user._id);
  await recordRead(ctx, deps, key, { requestId });
  const refused = await findRefusedRequest(deps, key, requestId);
  const diagnosis = diagnose(refused.request, await knownSecrets(deps, key));
  render(ctx, diagnosisPage(key, refused, diagnosis));
}

async function showPaste(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = filledWith({ method: 'POST', path: '/api/v1/partner/purchases' }),
): Promise<void> {
  render(ctx, pastePage(ctx, await keyOf(ctx, deps), filled));
}

async function comparePasted(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { body, ...given }: PastedRequest,
): Promise<void> {
  const { config, now, throttle } = deps;
  const key = await keyOf(ctx, deps);
  throttle.tryDiagnosis(ctx.state.viewer.user._id);
  const examined = diagnoseGiven(
    {
      ...given,
      ...(body !== undefined && { body: Buffer.from(body) }),
      host: new URL(config.portal.apiUrl).host,
    },
    await knownSecrets(deps, key),
    now() / 1_000,
  );
  const isGiven = given.signature !== undefined || given.canonical !== undefined;
  const filled = { values: ctx.state.form ?? {}, errors: {} };
  render(ctx, pastePage(ctx, key, filled, { examined, isGiven }));
}

const keyOf = (ctx: PageContext<'partner'>, deps: PageDeps): Promise<CredentialDoc> =>
  findOwnKey(deps, ownScope(ctx), param(ctx, 'credentialId'));

/** Records the read in the audit log before encrypted data is shown. */
async function recordRead(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { partnerId, _id: targetId }: CredentialDoc,
  details: Record<string, unknown> = {},
): Promise<void> {
  await auditRead(deps, actorOf(ctx), {
    action: 'refused-request.read',
    partnerId,
    targetId,
    details,
  });
}

interface PastedWebhook {
  headers: string;
  body: string;
  computed?: string;
}
const pastedWebhookSchema = Joi.object<PastedWebhook>({
  headers: linesOfText(8_000).required().messages({ 'any.required': 'Paste the headers.' }),
  body: linesOfText(20_000).required().messages({ 'any.required': 'Paste the body.' }),
  computed: Joi.string().trim().max(512),
});

/** Explains why a webhook's signature does not match, without revealing the correct one. */
export function webhookDoctorPages(routes: Routes): void {
  const asking = {
    ...({ audience: 'partner', permission: 'refused-request.read' } as const),
    path: '/webhooks/doctor/:endpointId',
    params: { endpointId: 'webhookEndpoint' },
  } as const;
  routes.page(asking, showDoctor);
  routes.action(asking, { schema: pastedWebhookSchema, act: diagnosePasted, retry: showDoctor });
}

const endpointOf = (ctx: PageContext<'partner'>, deps: PageDeps) =>
  findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'));

async function showDoctor(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  render(ctx, webhookDoctorPage(ctx, await endpointOf(ctx, deps), filled));
}

async function diagnosePasted(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  pasted: PastedWebhook,
): Promise<void> {
  const endpoint = await endpointOf(ctx, deps);
  deps.throttle.tryDiagnosis(ctx.state.viewer.user._id);
  const [secrets, sent] = await Promise.all([
    knownWebhookSecrets(deps, endpoint),
    findSentBody(deps, endpoint, pasted.headers),
  ]);
  const findings = diagnoseWebhook(pasted, {
    secrets: secrets.map(({ secret, of, isCurrent }) => ({
      secret,
      isOwn: of._id === endpoint._id,
      name:
        of._id !== endpoint._id
          ? `a secret of another endpoint of yours, ${hostOf(of.url)} (${of.mode})`
          : isCurrent
            ? 'this endpoint’s newest secret'
            : 'the previous secret of this endpoint',
    })),
    sentBodyOf: (id) => (sent?.eventId === id ? sent.body : null),
    nowSeconds: deps.now() / 1_000,
  });
  const filled = { values: ctx.state.form ?? {}, errors: {} };
  render(ctx, webhookDoctorPage(ctx, endpoint, filled, findings));
}
