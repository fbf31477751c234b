import Joi from 'joi';
import { diagnoseWebhook, type WebhookFinding } from '../../clients/typescript/doctor/index.ts';
import { param } from '../../http/context.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { findOwnWebhookEndpoint, findSentBody, knownWebhookSecrets } from '../../views/webhooks.ts';
import { badge, linkButton, section } from '../components/components.ts';
import { field, form, textArea } from '../components/form.ts';
import { html, nothing } from '../components/format.ts';
import { hostOf } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { linesOfText } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { reading } from './doctor.ts';
import { crumbsOfEndpoint } from './webhooks.ts';

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
export function webhookDoctorPages(routes: RoutesOf<'partner'>): void {
  const path = '/webhooks/doctor/:endpointId';
  const ofEndpoint = { ...reading, params: { endpointId: 'webhookEndpoint' } } as const;
  routes.page(path, showDoctor, ofEndpoint);
  routes.action(
    path,
    { schema: pastedWebhookSchema, act: diagnosePasted, retry: showDoctor },
    ofEndpoint,
  );
}

const askedEndpoint = (ctx: PageContext<'partner'>, deps: PageDeps) =>
  findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'));

async function showDoctor(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  render(ctx, webhookDoctorPage(ctx, await askedEndpoint(ctx, deps), filled));
}

async function diagnosePasted(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  pasted: PastedWebhook,
): Promise<void> {
  const endpoint = await askedEndpoint(ctx, deps);
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

function webhookDoctorPage(
  ctx: PageContext<'partner'>,
  endpoint: WebhookEndpointDoc,
  filled: Filled,
  findings?: readonly WebhookFinding[],
): Page {
  const { _id, mode } = endpoint;
  return page(
    {
      title: 'Signature does not match?',
      mode,
      crumbs: crumbsOfEndpoint(endpoint),
      lead: 'Paste a webhook as your receiver got it, and we show how it differs from what was sent. None of it is stored.',
    },
    findings
      ? section(
          'What we found',
          html`<ul class="findings">${findings.map(
            ({ isWrong, what, advice }) =>
              html`<li><p class="finding-what">${badge(isWrong ? 'REFUSED' : 'OK', isWrong ? 'wrong' : 'fine')} ${what}</p><p>${advice}</p></li>`,
          )}</ul>`,
        )
      : nothing,
    section(
      'The webhook',
      form(
        ctx,
        { action: `/webhooks/doctor/${_id}`, submit: 'Compare', filled },
        textArea({
          name: 'headers',
          label: 'Headers',
          rows: 5,
          filled,
          isRequired: true,
          hint: 'One per line: “webhook-id: …”. Other headers are ignored.',
          maxLength: 8_000,
        }),
        textArea({
          name: 'body',
          label: 'Body',
          rows: 6,
          filled,
          isRequired: true,
          hint: 'The raw text, as it arrived.',
          maxLength: 20_000,
        }),
        field({
          name: 'computed',
          label: 'The signature your code computes',
          filled,
          maxLength: 512,
          autocomplete: 'off',
          hint: 'Helps us find out what your code signs. Never paste a secret.',
        }),
      ),
    ),
    html`<p class="way-on">${linkButton(`/webhooks/${_id}`, 'What was sent', 'secondary')} <a href="/reference#webhooks">API reference</a></p>`,
  );
}
