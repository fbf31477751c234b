import type { IntegrationEventDoc } from '../../../models/schemas/requests.ts';
import type { EventDetails } from '../../../models/views/event.ts';
import type { PageContext } from '../../context.ts';
import { wordsOfCode } from '../../words/log-words.ts';
import { earnsWords } from '../../words/rule-words.ts';
import { badge, code, codeBlock, facts, notice, section, table, wordsOf } from '../components.ts';
import { deliveryTable } from '../delivery-table.ts';
import { minuteOfIso, money, number, numberText, time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { idLink, namedIdLink } from '../id-link.ts';
import { shortKey } from '../key-table.ts';
import { outcome } from '../log-table.ts';
import { linkIfOpen } from '../onward-links.ts';
import { timeline } from '../timeline.ts';
import { type Page, page } from '../view.ts';
import { whyPoints } from '../why-points.ts';

const crumbs = () => [['Events', '/events']] as const;

/** Who has to act next, in a partner's words. */
const waitsForWords: Readonly<Record<EventDetails['next']['waitsFor'], string>> = {
  CUSTOMER: 'Waiting for the customer',
  FUNDS: 'Waiting for funding',
  OPERATOR: 'Waiting for an operator',
  SERVICE: 'Continues automatically',
  NOBODY: 'Done',
};

export function eventPage(ctx: PageContext<'partner'>, details: EventDetails): Page {
  const { event, purchase, reward, next, why } = details;
  const { mode, externalOrderId, externalRefundId } = event;
  const isPurchase = event.type === 'PURCHASE';
  const currency = purchase.purchase?.currency ?? ctx.state.viewer.partner.currency;
  return page(
    {
      title: isPurchase
        ? `Purchase of order ${externalOrderId}`
        : `Refund ${externalRefundId ?? ''} of order ${externalOrderId}`,
      crumbs: crumbs(),
      mode,
      ...(reward && { actions: badge(reward.status) }),
    },
    html`<section class="card next"><p class="next-label">${waitsForWords[next.waitsFor]}</p><h2>What happens next</h2><p>${next.sentence(minuteOfIso)}</p></section>`,
    section('Event', eventFacts(details, currency)),
    html`<div class="grid-2">${section('Timeline', timeline(details.timeline, event._id, currency))}<div class="stack">${section(
      `Why ${numberText(purchase.purchase?.arithmetic.points ?? 0)} points`,
      whyPoints(why, currency),
    )}${section('The same order', sameOrder(details))}</div></div>`,
    section(
      'Webhooks',
      deliveryTable(
        details.deliveries,
        html`Not sent: you had no <a href="/webhooks">endpoint</a> for it.`,
        (deliveryId) => `/webhooks/deliveries/${deliveryId}`,
      ),
    ),
    html`<div class="grid-2">${section('Request', requestPart(details))}${section(
      'Response',
      html`<p class="muted">Status ${details.answer.status}. A retry with the same Idempotency-Key gets the same bytes${details.purchase.purchase?.delivery === 'PARTNER' && details.event.type === 'PURCHASE' ? html`, including <code>reward.claimUrl</code>, which is encrypted and not shown here` : nothing}.</p>`,
      details.answer.body === null
        ? html`<p class="muted">It is being processed.</p>`
        : codeBlock(readable(details.answer.body), 'Response'),
    )}</div>`,
  );
}

function eventFacts(details: EventDetails, currency: string): Html {
  const { event, purchase, reward, rule, integrationName, apiKey } = details;
  const { _id, requestId, externalOrderId, externalRefundId, rewardId } = event;
  return facts([
    ['Event', code(_id, { canCopy: true })],
    ['Order', code(externalOrderId, { canCopy: true })],
    ...(externalRefundId === null
      ? []
      : [['Refund', code(externalRefundId, { canCopy: true })] as const]),
    ['Reward', code(rewardId, { canCopy: true })],
    ['Request', code(requestId, { canCopy: true })],
    ['Received', time(event.receivedAt)],
    [
      externalRefundId === null ? 'Order date' : 'Refund date',
      time(event.occurredAt, 'not provided'),
    ],
    ['Points', number(purchase.purchase?.arithmetic.points ?? 0)],
    ['Cost', money(purchase.purchase?.liabilityCents ?? 0, currency)],
    ['Status', reward ? badge(reward.status) : html`<span class="muted">not yet</span>`],
    ...(reward && reward.status === 'PENDING'
      ? [['Claim by', time(reward.claimExpiresAt)] as const]
      : []),
    ['Rule', namedIdLink(rule.ruleId, earnsWords(rule))],
    ['Integration', namedIdLink(event.integrationId, integrationName)],
    ['API key', namedIdLink(event.credentialId, apiKey && shortKey(apiKey))],
  ]);
}

function requestPart({ event, request }: EventDetails): Html {
  const { isErased, ...reported } = request;
  return html`<p class="muted"><code>${event.request.method} ${event.request.path}</code>. Personal data is masked for everyone, including you; metadata shows only names and types of values.</p>
${isErased ? notice('info', 'The customer was erased, so the personal data in this request has been destroyed.') : nothing}
${codeBlock(JSON.stringify(reported, null, 2), 'Request, masked')}`;
}

/** A response body, indented; its actual bytes are on one line. */
function readable(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}

function sameOrder({ event, timeline: moments }: EventDetails): Html {
  const events = moments.filter(({ kind }) => kind === 'EVENT');
  return html`<div class="sums">${table({
    caption: 'Events of the same order',
    columns: [
      { heading: 'When', cell: ({ at }) => time(at) },
      {
        heading: 'Description',
        cell: ({ id, what }) =>
          id === null || id === event._id
            ? html`${what} <span class="muted">(this one)</span>`
            : idLink(id, what),
      },
    ],
    rows: events,
    empty: nothing,
  })}</div>`;
}

/**
 * A request that recorded no event: refused, repeated, or only a read.
 * @param apiKey null if the key no longer exists
 */
export function requestPage(
  ctx: PageContext<'partner'>,
  { request, apiKey }: { request: IntegrationEventDoc; apiKey: string | null },
): Page {
  const { requestId, mode, code: outcomeCode } = request;
  const isSignature = ['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE'].includes(outcomeCode);
  return page(
    {
      title: `Request ${requestId}`,
      crumbs: crumbs(),
      mode,
      actions: outcome(outcomeCode),
    },
    html`<section class="card next"><p class="next-label">What it means</p><h2>${outcomeCode}</h2><p>${wordsOfCode(outcomeCode)}</p>${isSignature ? html`<p>${linkIfOpen(ctx, '/doctor', 'Ask the signature doctor')}</p>` : nothing}</section>`,
    countNotice(request),
    requestSection(request, apiKey),
  );
}

/** Tells readers if the row represents several requests. */
function countNotice({ count, minute }: IntegrationEventDoc): Html {
  if (count <= 1) return nothing;
  return notice(
    'info',
    html`This row represents ${number(count)} similar requests${minute ? html` in the minute from ${time(minute)}` : nothing}. It shows the newest of them, and when the first was received.`,
  );
}

function requestSection(request: IntegrationEventDoc, apiKey: string | null): Html {
  const { externalOrderId, eventId, credentialId } = request;
  const unknown = html`<span class="muted">unknown</span>`;
  return section(
    'Request',
    facts([
      ['Request', code(request.requestId, { canCopy: true })],
      ['Received', time(request.receivedAt)],
      ['Type', wordsOf(request.type)],
      ['Requested', code(`${request.method} ${request.path}`)],
      ['Status', number(request.status)],
      [
        'Order',
        externalOrderId === null
          ? unknown
          : html`<a href="/find?q=${encodeURIComponent(externalOrderId)}">${externalOrderId}</a>`,
      ],
      ['Event', eventId === null ? html`<span class="muted">none</span>` : idLink(eventId)],
      [
        'API key',
        apiKey === null ? code(credentialId) : namedIdLink(credentialId, shortKey(apiKey)),
      ],
      ['Network', request.network ?? unknown],
    ]),
  );
}
