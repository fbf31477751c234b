import Joi from 'joi';
import type { CredentialDoc } from '../../models/schemas/credential.ts';
import { attempt } from '../../partner-sdk/attempt.ts';
import { PartnerNetworkError } from '../../partner-sdk/errors.ts';
import { canonicalString, headerNames } from '../../partner-sdk/signature.ts';
import { newId } from '../../platform/ids.ts';
import {
  bodyOf,
  type ConsoleForm,
  type ConsoleType,
  consoleSchema,
  consoleTypes,
  pathOf,
} from '../console-form.ts';
import type { PageContext } from '../context.ts';
import { curlLine } from '../curl-line.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { FieldError, type Filled } from '../forms.ts';
import { codeBlock, emptyState, linkButton, notice, section } from '../html/components.ts';
import { answerSection, type ConsoleAnswer, factsOf } from '../html/console-answer.ts';
import { csrfInput, field, hidden, select, textArea } from '../html/form.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { rewardStory, storyToCome } from '../html/reward-story.ts';
import { view } from '../html/view.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';

/** To choose one from: the newest. */
const maxKeys = 100;
const answerTimeoutMs = 10_000;

const spec = {
  path: '/console',
  audience: 'partner',
  permission: 'test-event.send',
} as const;
type Asked = Pick<ConsoleForm, 'type' | 'as'>;
const querySchema = Joi.object<Asked>({
  type: Joi.string()
    .valid(...consoleTypes)
    .default('purchase'),
  as: Joi.string().valid('fields', 'json').default('fields'),
});

/** A request as it is built: what is signed and sent, but for the secret. */
interface Built {
  form: ConsoleForm;
  key: CredentialDoc;
  pathname: string;
  body: string;
  atMs: number;
}

/** Composes a purchase or refund of TEST, shows what is signed, and sends it. */
export function consolePages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models, config, sealer, now } = deps;
  const brand = config.http.headerBrand;

  const testKeysOf = (partnerId: string) =>
    models.credentials
      .find({ partnerId, mode: 'TEST', revokedAt: null })
      .sort({ _id: -1 })
      .limit(maxKeys)
      .lean();

  /** LIVE keys are nobody's to choose here: a purchase that is tried out must move no money. */
  async function findTestKey(partnerId: string, _id: string): Promise<CredentialDoc> {
    const key = await models.credentials
      .findOne({ partnerId, _id, mode: 'TEST', revokedAt: null })
      .lean();
    if (key && newestSecretOf(key)) return key;
    throw new FieldError('credentialId', 'Choose one of your active TEST keys.');
  }

  routes.page(spec, async (ctx) => {
    const asked = queryOf(ctx, querySchema);
    await show(ctx, asked, { values: startOf(asked, now()), errors: {} });
  });

  routes.action(spec, {
    schema: consoleSchema,
    async act(ctx, form) {
      const { partner, user } = ctx.state.viewer;
      const key = await findTestKey(partner._id, form.credentialId);
      const built = { form, key, pathname: pathOf[form.type], body: bodyOf(form), atMs: now() };
      const filled = { values: ctx.state.form ?? {}, errors: {} };
      if (form.step === 'preview') return await show(ctx, form, filled, preview(built));
      throttle.tryTestSend(user._id);
      const answer = await deed(
        deps,
        ctx,
        {
          action: 'test-console.send',
          partnerId: partner._id,
          targetId: key._id,
          details: { type: form.type },
        },
        () => send(built),
        ({ status, headers }) => ({
          details: {
            status,
            requestId: headers.find(([name]) => name === 'x-request-id')?.[1] ?? null,
          },
        }),
      );
      await show(
        ctx,
        form,
        filled,
        answerSection(answer, key._id),
        await storyOf(partner._id, answer),
        preview(built),
      );
    },
    async retry(ctx, filled) {
      const { type, as } = filled.values;
      const { value, error } = querySchema.validate({ type, as });
      await show(ctx, error ? { type: 'purchase', as: 'fields' } : value, filled);
    },
  });

  /** Signs it as a partner's back end does, with the newest secret of the key, and sends it. */
  async function send({ form, key, pathname, body, atMs }: Built): Promise<ConsoleAnswer> {
    const secret = newestSecretOf(key);
    if (!secret) throw new Error(`${key._id} has no active secret`);
    const connection = {
      key: key.apiKey,
      secret: sealer.open(secret.sealed, key._id),
      ...{ brand, fetch, timeoutMs: answerTimeoutMs },
    };
    const url = new URL(pathname, deps.apiUrl);
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

  /** What has become of it so far; the workflow goes on behind the answer. */
  async function storyOf(partnerId: string, answer: ConsoleAnswer): Promise<Html> {
    const { eventId, rewardId } = factsOf(answer);
    if (eventId === undefined || rewardId === undefined) return nothing;
    const path = `/test-clock/${rewardId}`;
    const reward = await models.rewards.findOne({ partnerId, _id: rewardId, mode: 'TEST' }).lean();
    return html`${reward ? rewardStory(reward) : storyToCome(eventId, rewardId)}
${section('Next', html`<p class="way-on">${linkButton(path, 'Claim or expire it now', 'secondary')} <a href="/events/${eventId}">The event</a> <a href="/console?type=refund">Report a refund</a></p>`)}`;
  }

  function preview({ form, key, pathname, body, atMs }: Built): Html {
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
    const url = config.portal.apiUrl.replace(/\/+$/, '');
    return section(
      'What is signed and sent',
      html`<h3>Canonical string</h3>`,
      codeBlock(canonicalString({ method: 'POST', pathname, timestamp, body }), 'Canonical string'),
      html`<h3>Headers</h3>`,
      codeBlock(headers, 'Headers'),
      html`<h3>Body</h3>`,
      codeBlock(body, 'Body'),
      html`<h3>From your shell</h3><p class="muted">With the key’s secret in <code>$SECRET</code>; we never show it again.</p>`,
      codeBlock(
        curlLine({ ...{ url, pathname, key: key.apiKey, brand, idempotencyKey, body } }),
        'Command',
      ),
    );
  }

  async function show(
    ctx: PageContext<'partner'>,
    asked: Asked,
    filled: Filled,
    ...results: Html[]
  ): Promise<void> {
    const keys = await testKeysOf(ctx.state.viewer.partner._id);
    view(
      ctx,
      {
        ...{ title: 'Test console', mode: 'TEST' },
        lead: 'Report a purchase or a refund in TEST: see what is signed as it is built, send it, and see what becomes of it.',
      },
      kinds(asked),
      ...results,
      section(
        asked.type === 'purchase' ? 'The purchase' : 'The refund',
        keys.length === 0
          ? emptyState(
              'No TEST key yet',
              'A request is signed with the secret of a key. Generate one; we sign with it here.',
              linkButton('/keys/test/new', 'Generate a TEST key'),
            )
          : requestForm(ctx, asked, filled, keys),
      ),
      html`<p class="way-on"><a href="/doctor">Signature doctor</a> <a href="/test-clock">TEST clock</a> <a href="/quickstarts">Quick starts</a> <a href="/reference">API reference</a></p>`,
    );
  }
}

const newestSecretOf = ({ secrets }: CredentialDoc) =>
  secrets.findLast(({ revokedAt }) => revokedAt === null);

/** What a form begins with: everything that a first request needs. */
function startOf({ type }: Asked, atMs: number): Record<string, string> {
  const id = newId('request', atMs).slice(-10);
  const order = type === 'purchase' ? { externalOrderId: `TEST-${id}` } : {};
  return {
    ...order,
    ...{ email: 'ann@example.com', amount: '49.90', currency: 'USD' },
    idempotencyKey: `console-${id}`,
    json:
      type === 'purchase'
        ? `{"externalOrderId":"TEST-${id}","customer":{"email":"ann@example.com"},"order":{"subtotalCents":4990}}`
        : '{"externalOrderId":"","reason":"sent back"}',
  };
}

function kinds({ type, as }: Asked): Html {
  const tab = (to: Asked, text: string) =>
    html`<li class="tab"><a class="tab-link" href="/console?type=${to.type}&as=${to.as}" ${to.type === type && to.as === as ? html`aria-current="page"` : nothing}>${text}</a></li>`;
  const of = (one: ConsoleType, name: string) => [
    tab({ type: one, as: 'fields' }, name),
    tab({ type: one, as: 'json' }, `${name} as JSON`),
  ];
  return html`<nav class="tabs" aria-label="What to send"><ul>${of('purchase', 'Purchase')}${of('refund', 'Refund')}</ul></nav>`;
}

function requestForm(
  ctx: PageContext<'partner'>,
  { type, as }: Asked,
  filled: Filled,
  keys: readonly CredentialDoc[],
): Html {
  const wrong = filled.errors[''];
  return html`<form method="post" action="/console" class="stacked">${csrfInput(ctx)}${hidden('type', type)}${hidden('as', as)}
${wrong === undefined ? nothing : notice('bad', wrong)}
${select({
  ...{ name: 'credentialId', label: 'TEST key', filled },
  choices: keys.map(({ _id, apiKey }) => ({ value: _id, text: apiKey })),
})}
${as === 'json' ? textArea({ name: 'json', label: 'Body', rows: 10, filled, maxLength: 20_000, hint: 'Sent byte for byte as it stands here.' }) : fieldsOf(type, filled)}
${field({ name: 'idempotencyKey', label: 'Idempotency key', filled, maxLength: 300, hint: html`The same key and body are answered the same. <a href="/console?type=${type}&as=${as}">Begin anew</a> for another request.` })}
<p class="buttons"><button type="submit" name="step" value="preview" class="secondary">Preview</button>
<button type="submit" name="step" value="send" class="primary">Sign and send</button></p></form>`;
}

function fieldsOf(type: ConsoleType, filled: Filled): Html {
  const order = field({
    ...{ name: 'externalOrderId', label: 'Your order id', filled, isRequired: true },
    maxLength: 500,
  });
  if (type === 'refund') {
    return html`${order}${field({ name: 'externalRefundId', label: 'Your refund id', filled, maxLength: 500, hint: 'May be left out.' })}
${field({ name: 'reason', label: 'Reason', filled, maxLength: 1_000, hint: 'May be left out.' })}`;
  }
  return html`${order}${field({ name: 'email', label: 'Customer’s e-mail', filled, isRequired: true, maxLength: 500, hint: 'The claim link goes there.' })}
${field({ name: 'amount', label: 'Subtotal', filled, isRequired: true, inputmode: 'decimal' })}
${field({ name: 'currency', label: 'Currency', filled, maxLength: 3 })}`;
}
