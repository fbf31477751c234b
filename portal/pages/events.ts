import { isCorrectable } from '../../domain/reward.ts';
import type { IntegrationEventDoc } from '../../models/schemas/requests.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { EventDetails } from '../../models/views/event.ts';
import { type LogOutcome, type LogPage, maxCsvRows } from '../../models/views/log.ts';
import type { SearchResult, SearchResultKind } from '../../models/views/search.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import {
  exactTime,
  type Html,
  html,
  minuteOfIso,
  money,
  nothing,
  number,
  numberText,
  time,
} from '../components/format.ts';
import { idLink, namedIdLink } from '../components/links.ts';
import type { Fact } from '../components/money.ts';
import { linkIfOpen } from '../components/onward-links.ts';
import { whyPoints } from '../components/rules.ts';
import { deliveryTable, outcome, shortKey } from '../components/tables.ts';
import { timeline } from '../components/timeline.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Asked } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { wordsOfCode } from '../words/log-words.ts';
import { earnsWords } from '../words/rule-words.ts';

const crumbs = () => [['Events', '/events']] as const;

/** Who has to act next, in a partner's words. */
const waitsForWords: Readonly<Record<EventDetails['next']['waitsFor'], string>> = {
  CUSTOMER: 'Waiting for the customer',
  FUNDS: 'Waiting for funding',
  OPERATOR: 'Waiting for an operator',
  SERVICE: 'Continues automatically',
  NOBODY: 'Done',
};

export function eventPage(ctx: PageContext<'partner'>, details: EventDetails, nowMs: number): Page {
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
      ...(reward && { actions: html`${badge(reward.status)}${correctLink(ctx, reward, nowMs)}` }),
    },
    html`<section class="card next"><p class="next-label">${waitsForWords[next.waitsFor]}</p><h2>What happens next</h2><p>${next.sentence(minuteOfIso)}</p></section>`,
    section('Event', eventFacts(details, currency)),
    html`<div class="grid-2">${section('Timeline', timeline(details.timeline, event._id, currency))}<div class="stack">${section(
      `Why ${numberText((reward ?? purchase.purchase)?.arithmetic.points ?? 0)} points`,
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

/** For owners, as long as the contact can be corrected. */
function correctLink(
  { state: { viewer } }: PageContext<'partner'>,
  reward: RewardDoc,
  nowMs: number,
): Html {
  const mayCorrect =
    isCorrectable(reward, new Date(nowMs)) && hasPermission(viewer, 'reward.correct-contact');
  return mayCorrect
    ? linkButton(`/rewards/${reward._id}/contact`, 'Correct contact …', 'secondary')
    : nothing;
}

/** The contact, once it was corrected. */
const contactFacts = ({ reward, contact }: EventDetails): Fact[] =>
  reward?.correction ? [['Corrected contact', contact.email ?? contact.phone ?? 'erased']] : [];

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
    ...receiptFacts(details),
    ['Request', code(requestId, { canCopy: true })],
    ['Received', time(event.receivedAt)],
    [
      externalRefundId === null ? 'Order date' : 'Refund date',
      time(event.occurredAt, 'not provided'),
    ],
    ...contactFacts(details),
    ...amounts(details, currency),
    ['Points', number((reward ?? purchase.purchase)?.arithmetic.points ?? 0)],
    ['Cost', money((reward ?? purchase.purchase)?.liabilityCents ?? 0, currency)],
    ['Status', reward ? badge(reward.status) : html`<span class="muted">not yet</span>`],
    ...(reward && reward.status === 'PENDING'
      ? [['Claim by', time(reward.claimExpiresAt)] as const]
      : []),
    ['Rule', namedIdLink(rule.ruleId, earnsWords(rule))],
    ['Integration', namedIdLink(event.integrationId, integrationName)],
    ['API key', namedIdLink(event.credentialId, apiKey && shortKey(apiKey))],
  ]);
}

/** Of LIVE rewards for which money was set aside. */
const receiptFacts = ({ reward }: EventDetails): Fact[] =>
  reward?.mode === 'LIVE' && reward.moves.some(({ move }) => move === 'FUND')
    ? [
        [
          'Receipt',
          html`<a href="/rewards/${reward._id}/receipt.json" download>Download (JSON)</a>`,
        ],
      ]
    : [];

/** What the order was of, and what came back of it. */
function amounts({ event, purchase, reward }: EventDetails, currency: string): Fact[] {
  const refundedCents = reward?.refundedCents ?? 0;
  return [
    ['Order amount', money(purchase.purchase?.arithmetic.subtotalCents ?? 0, currency)],
    ...(event.type === 'REFUND'
      ? [['This refund', money(event.amountCents ?? 0, currency)] as const]
      : []),
    ...(refundedCents > 0 ? [['Refunded', money(refundedCents, currency)] as const] : []),
  ];
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
    columns: {
      When: ({ at }) => time(at),
      Description: ({ id, what }) =>
        id === null || id === event._id
          ? html`${what} <span class="muted">(this one)</span>`
          : idLink(id, what),
    },
    rows: events,
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

/** @param outcomes of the events in the log, by event id */
export function eventsPage(
  ctx: PageContext<'partner'>,
  asked: Asked,
  { events, newer, older }: LogPage,
  outcomes: ReadonlyMap<string, LogOutcome>,
): Page {
  const outcomeOf = ({ eventId }: IntegrationEventDoc) =>
    eventId === null ? undefined : outcomes.get(eventId);
  return page(
    {
      title: 'Events',
      lead: 'Every signed request, accepted or refused, newest first. Days are UTC.',
      actions: linkButton('/reconciliation', 'Compare with your orders', 'secondary'),
    },
    html`<section class="card find">${findForm()}</section>`,
    list(ctx, {
      asked,
      caption: 'Requests',
      // A row that represents several requests shows their count.
      columns: {
        When: (event) => html`<a href="${pathOfRequest(event)}">${exactTime(event.receivedAt)}</a>`,
        Type: ({ type }) => wordsOf(type),
        Order: ({ externalOrderId }) =>
          externalOrderId === null
            ? none
            : html`<span class="clip" title="${externalOrderId}">${externalOrderId}</span>`,
        Amount: {
          number(event) {
            const amount = outcomeOf(event)?.amount;
            return amount ? money(amount.cents, amount.currency) : none;
          },
        },
        Points: { number: (event) => outcomeOf(event)?.points ?? none },
        Reward(event) {
          const status = outcomeOf(event)?.rewardStatus;
          return status ? badge(status) : none;
        },
        Status: { number: ({ status }) => status },
        Outcome: ({ code: text }) => outcome(text),
        Requests: {
          number: ({ count }) => (count === 1 ? count : html`<strong>${number(count)}</strong>`),
        },
      },
      rows: events,
      empty: emptyState(
        'No requests yet',
        'Your first signed request appears here at once, even if it is refused.',
        ctx.state.mayOpen('/console') ? linkButton('/console', 'Open test console') : nothing,
      ),
      places: { newer, older },
      download: { path: '/events.csv', maxRows: maxCsvRows },
    }),
  );
}

const none = html`<span class="muted">–</span>`;

/** The page of the event that a request recorded; otherwise the request's own. */
function pathOfRequest({ _id, code: outcomeCode, eventId }: IntegrationEventDoc): string {
  return outcomeCode === 'ACCEPTED' && eventId !== null ? `/events/${eventId}` : `/requests/${_id}`;
}

/** The search box for any kind of id. @param typed the previous search */
function findForm(typed = ''): Html {
  return html`<search><form method="get" action="/find" class="find-form">
<label for="q">Find an order, refund, redemption, event, reward, request or Idempotency-Key</label>
<div><input id="q" name="q" type="search" class="find-typed" value="${typed}" maxlength="255" autocomplete="off" spellcheck="false" required>
<button type="submit" class="primary">Find</button></div></form></search>`;
}

/** The page of each kind of result that is not about an event; null if it has none. */
const pathOfKind: Record<SearchResultKind, (id: string) => string | null> = {
  EVENT: (id) => `/events/${id}`,
  REQUEST: (id) => `/requests/${id}`,
  REWARD: (id) => `/rewards/${id}`,
  REDEMPTION: (id) => `/redemptions/${id}`,
  REVIEW: () => null,
  CUSTOMER: () => null,
  TRANSACTION: () => '/funding',
  INVOICE: (id) => `/invoices/${id}`,
  CREDENTIAL: (id) => `/keys/${id}`,
  RULE: (id) => `/rules/${id}`,
  INTEGRATION: (id) => `/integrations/${id}`,
  USER: () => null,
  PARTNER: () => '/profile',
};

/** The page of a result; null if it has none. */
export const pathOfFound = ({ kind, id, eventId }: SearchResult): string | null =>
  eventId === null ? pathOfKind[kind](id) : `/events/${eventId}`;

/** @param q the search text */
export function findPage(q: string, all: readonly SearchResult[]): Page {
  return page(
    { title: 'Find', crumbs: [['Events', '/events']] },
    html`<section class="card find">${findForm(q)}</section>`,
    q.trim() === '' ? nothing : html`<section class="card">${results(q, all)}</section>`,
  );
}

function results(q: string, all: readonly SearchResult[]): Html {
  return table({
    caption: 'Results',
    columns: {
      Kind: ({ kind }) => wordsOf(kind),
      Name: (one) => {
        const path = pathOfFound(one);
        const label = html`<span class="clip" title="${one.label}">${one.label}</span>`;
        return path === null ? label : html`<a href="${path}">${label}</a>`;
      },
      Mode: ({ mode }) => (mode ? badge(mode) : nothing),
      ID: ({ id }) => code(id),
    },
    rows: all,
    empty: emptyState(
      `No results for “${q}”`,
      'Enter the full ID of an order, refund, redemption, event, reward or request, or an Idempotency-Key. Case matters.',
      linkButton('/events', 'View events', 'secondary'),
    ),
  });
}
