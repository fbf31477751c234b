import { canonicalString, headerNames } from '../../../clients/typescript/signature.ts';
import { verifiedContact } from '../../../domain/partner-contact.ts';
import type { CredentialDoc } from '../../../models/schemas/credential.ts';
import type { RewardDoc } from '../../../models/schemas/reward.ts';
import type { PageContext } from '../../context.ts';
import { curlLine } from '../../documents/curl-line.ts';
import type { ConsoleForm, ConsoleType } from '../../forms/console-form.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { codeBlock, emptyState, linkButton, notice, section } from '../components.ts';
import { csrfInput, field, form, hidden, select, textArea } from '../form.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { linkIfOpen } from '../onward-links.ts';
import { pendingProgress, rewardProgress } from '../reward-progress.ts';
import { type Page, page } from '../view.ts';

export type ConsoleTab = Pick<ConsoleForm, 'type' | 'as'>;

/** A request ready to be signed and sent, without the secret. */
export interface BuiltRequest {
  form: ConsoleForm;
  key: CredentialDoc;
  pathname: string;
  body: string;
  atMs: number;
}

/** @param results of the preview or the request */
export function consolePage(
  ctx: PageContext<'partner'>,
  selected: ConsoleTab,
  keys: readonly CredentialDoc[],
  filled: Filled,
  results: readonly Html[],
): Page {
  return page(
    {
      title: say('console.title'),
      mode: 'TEST',
      lead: say('console.lead'),
    },
    tabs(selected),
    ...results,
    section(
      selected.type === 'purchase'
        ? say('console.section.thePurchase')
        : say('console.section.theRefund'),
      keys.length === 0
        ? emptyState(
            say('console.empty.title'),
            say('console.empty.text'),
            linkButton('/keys/test/new', say('console.button')),
          )
        : requestForm(ctx, selected, filled, keys),
    ),
    html`<p class="way-on"><a href="/doctor">${say('console.signatureDoctor')}</a> <a href="/test-clock">${say('console.testClock')}</a> <a href="/quickstarts">${say('console.quickStarts')}</a> <a href="/reference">${say('console.apiReference')}</a></p>`,
  );
}

/** A preview of what is signed and sent. @param url of the API, as partners reach it */
export function previewSection(
  { form, key, pathname, body, atMs }: BuiltRequest,
  { brand, apiUrl }: { brand: string; apiUrl: string },
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
  return section(
    say('console.section.signedSent'),
    html`<h3>${say('console.canonicalString')}</h3>`,
    codeBlock(
      canonicalString({ method: 'POST', pathname, timestamp, body }),
      say('console.canonicalString'),
    ),
    html`<h3>${say('console.headers')}</h3>`,
    codeBlock(headers, say('console.headers')),
    html`<h3>${say('console.body')}</h3>`,
    codeBlock(body, say('console.body')),
    html`<h3>${say('console.fromYourShell')}</h3><p class="muted">${say('console.preview.text', { code: tags.code })}</p>`,
    codeBlock(
      curlLine({ url, pathname, key: key.apiKey, brand, idempotencyKey, body }),
      say('console.command'),
    ),
  );
}

/** A refund with all its fields. */
export type ReadyRefund = Pick<ConsoleForm, 'credentialId' | 'idempotencyKey'> & {
  externalOrderId: string;
};

/**
 * The state of the reward so far; the workflow continues after the response.
 * @param reward null before the workflow has created it
 * @param refund for the purchase that was sent; null after a refund
 */
export function progressSection(
  ctx: PageContext<'partner'>,
  eventId: string,
  { rewardId, reward }: { rewardId: string; reward: RewardDoc | null },
  refund: ReadyRefund | null,
): Html {
  const path = `/test-clock/${rewardId}`;
  const isOver = reward !== null && !['PENDING', 'AWAITING_FUNDING'].includes(reward.status);
  return html`${reward ? rewardProgress(reward) : pendingProgress(eventId, rewardId)}
${section(
  say('console.section.now'),
  isOver
    ? nothing
    : html`<div class="buttons">${refund === null ? nothing : refundNow(ctx, refund)}${linkButton(path, say('console.progress.button'), 'secondary')}</div>`,
  html`<p class="way-on"><a href="/events/${eventId}">${say('console.theEvent')}</a> <a href="/console?type=refund">${say('console.reportARefund')}</a></p>`,
)}`;
}

/** A button that sends the full refund of the purchase. */
const refundNow = (ctx: PageContext<'partner'>, refund: ReadyRefund): Html =>
  form(
    ctx,
    { action: '/console', submit: say('console.refundNow.submit'), isInline: true },
    Object.entries({ type: 'refund', as: 'fields', step: 'send', ...refund }).map(([name, value]) =>
      hidden(name, value),
    ),
  );

function tabs({ type, as }: ConsoleTab): Html {
  const tab = (to: ConsoleTab, text: string) =>
    html`<li class="tab"><a class="tab-link" href="/console?type=${to.type}&as=${to.as}" ${to.type === type && to.as === as ? html`aria-current="page"` : nothing}>${text}</a></li>`;
  const of = (one: ConsoleType, name: string) => [
    tab({ type: one, as: 'fields' }, name),
    tab({ type: one, as: 'json' }, say('console.asJson', { name })),
  ];
  return html`<nav class="tabs" aria-label="${say('console.whatToSend')}"><ul>${of('purchase', say('console.purchase'))}${of('refund', say('console.refund'))}</ul></nav>`;
}

function requestForm(
  ctx: PageContext<'partner'>,
  { type, as }: ConsoleTab,
  filled: Filled,
  keys: readonly CredentialDoc[],
): Html {
  const wrong = filled.errors[''];
  return html`<form method="post" action="/console" class="stacked">${csrfInput(ctx)}${hidden('type', type)}${hidden('as', as)}
${wrong === undefined ? nothing : notice('bad', wrong)}
${select({
  name: 'credentialId',
  label: say('console.credentialId'),
  filled,
  choices: keys.map(({ _id, apiKey }) => ({ value: _id, text: apiKey })),
})}
${as === 'json' ? textArea({ name: 'json', label: say('console.json'), rows: 10, filled, maxLength: 20_000, hint: say('console.json.hint') }) : fieldsOf(ctx, type, filled)}
${field({ name: 'idempotencyKey', label: say('console.idempotencyKey'), filled, maxLength: 300, hint: say('console.requestForm.hint', { link: tags.link(`/console?type=${type}&as=${as}`) }) })}
<p class="buttons"><button type="submit" name="step" value="preview" class="secondary">${say('console.preview')}</button>
<button type="submit" name="step" value="send" class="primary">${say('console.signAndSend')}</button></p></form>`;
}

function fieldsOf(ctx: PageContext<'partner'>, type: ConsoleType, filled: Filled): Html {
  const order = field({
    name: 'externalOrderId',
    label: say('console.externalOrderId'),
    filled,
    isRequired: true,
    maxLength: 500,
  });
  if (type === 'refund') {
    return html`${order}${field({ name: 'externalRefundId', label: say('console.externalRefundId'), filled, maxLength: 500, hint: say('console.externalRefundId.hint') })}
${field({ name: 'reason', label: say('common.reason'), filled, maxLength: 1_000, hint: say('console.reason.hint') })}`;
  }
  return html`${order}${field({ name: 'email', label: say('console.email'), filled, isRequired: true, maxLength: 500, hint: whoIsMailed(ctx) })}
${field({ name: 'amount', label: say('console.amount'), filled, isRequired: true, inputmode: 'decimal' })}
${field({ name: 'currency', label: say('common.currency'), filled, maxLength: 3 })}`;
}

/** In TEST, no customer is contacted: emails go to the partner's contact once it is verified. */
function whoIsMailed(ctx: PageContext<'partner'>): Part {
  const contact = verifiedContact(ctx.state.viewer.partner);
  return contact === null
    ? html`${say('console.email.hint.nobody')} ${linkIfOpen(ctx, '/profile/contact-email', say('console.email.hint.verify'), say('console.email.hint.askOwner'))}`
    : say('console.email.hint.contact', { contact });
}
