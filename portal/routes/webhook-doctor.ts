import Joi from 'joi';
import { diagnoseWebhook } from '../../clients/typescript/doctor/index.ts';
import {
  findOwnWebhookEndpoint,
  findSentBody,
  knownWebhookSecrets,
} from '../../models/views/webhooks.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { linesOfText } from '../forms/lines-of-text.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hostOf } from '../html/delivery-table.ts';
import { webhookDoctorPage } from '../html/pages/webhook-doctor.ts';
import { render } from '../html/view.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

interface PastedWebhook {
  headers: string;
  body: string;
  computed?: string;
}
const pastedSchema = Joi.object<PastedWebhook>({
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
  routes.action(asking, { schema: pastedSchema, act: diagnosePasted, retry: showDoctor });
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
