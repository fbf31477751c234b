import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { param } from '../../http/context.ts';
import { defaultLimit } from '../../http/query.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import { maxCsvRows } from '../../platform/csv.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { lookUpCustomers } from '../../views/customers.ts';
import {
  anyRefusal,
  type LogOutcome,
  type LogPage,
  logCsv,
  readLog,
  readLogOutcomes,
} from '../../views/log.ts';
import { lookUp } from '../../views/names.ts';
import { readRequest } from '../../views/requests.ts';
import { type SearchResult, type SearchResultKind, searchResult } from '../../views/search.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import { exactTime, type Html, html, money, nothing, number, time } from '../components/format.ts';
import { idLink, namedIdLink } from '../components/links.ts';
import { linkIfOpen } from '../components/onward-links.ts';
import { pathWith } from '../components/paging.ts';
import { statusBadge } from '../components/reward-badge.ts';
import { outcome, outcomeInWords, shortKey } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, looksLikeContact } from '../forms/fields.ts';
import { type Asked, asked } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { logFilters, placeOf, placeSchema } from '../lists/log.ts';
import { orNotFound } from '../middleware/form.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { senderLabel } from '../words/connection-words.ts';
import { meaningOf, wordsOfCode } from '../words/log-words.ts';

/** The log of signed requests, accepted or refused, and the page of one that recorded no event. */
export function eventsPages(routes: RoutesOf<'partner'>): void {
  routes.page('/events', showEvents);
  routes.page('/events.csv', downloadEvents);
  routes.page('/requests/:requestId', showRequest);
}

/** The partner's customers with a contact. */
async function findCustomers(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  contact: string,
): Promise<SearchResult[]> {
  const { partner } = ctx.state.viewer;
  const { customerHashKey } = deps.config;
  const looked = await lookUpCustomers(
    deps,
    customerHashKey,
    partner,
    contactOfText(contact),
  ).catch((error: unknown) => {
    // Too few digits for a phone number identify nobody.
    if (error instanceof ServiceError && error.code === 'VALIDATION_FAILED') return { found: [] };
    throw error;
  });
  return looked.found.map((customerId) =>
    searchResult('CUSTOMER', { _id: customerId, partnerId: partner._id }, 'Customer'),
  );
}

async function showEvents(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, logFilters);
  const filter = { ...list.filter, partnerId: ownScope(ctx), mode: modeOf(ctx) };
  const log = await readLog(deps, filter, defaultLimit, placeOf(queryOf(ctx, placeSchema)));
  const outcomes = await readLogOutcomes(deps, ownScope(ctx), log.events);
  render(ctx, eventsPage(ctx, list, log, outcomes));
}

/** Everything that the filters show, whichever page of it the link is on. */
async function downloadEvents(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { filter } = await asked(ctx, deps, logFilters);
  queryOf(ctx, placeSchema);
  ctx.set('Content-Disposition', 'attachment; filename="events.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = logCsv(deps, { ...filter, partnerId: ownScope(ctx), mode: modeOf(ctx) });
}

async function showRequest(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const shown = orNotFound(await readRequest(deps, ownScope(ctx), param(ctx, 'requestId')));
  if (shown.request === null) return redirect(ctx, `/events/${shown.eventId}`);
  render(ctx, requestPage(ctx, shown));
}

const schema = Joi.object<{ q?: string }>({ q: Joi.string().max(255) });

/** The search for any id, order, invoice, payment or contact; a single result opens at once. */
export function findPages(routes: RoutesOf<'partner'>): void {
  routes.page('/find', async (ctx, deps) => await find(ctx, deps, queryOf(ctx, schema).q ?? ''));
  // A POST, so that no URL contains a contact; contacts are handled here.
  routes.action('/find', {
    schema,
    async act(ctx, deps, { q = '' }) {
      if (looksLikeContact(q)) await find(ctx, deps, q);
      else redirect(ctx, pathWith('/find', { q }));
    },
  });
}

async function find(ctx: PageContext<'partner'>, deps: PageDeps, q: string): Promise<void> {
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const [named, customers] = await Promise.all([
    lookUp({ ...deps, hashes }, ownScope(ctx), q),
    ctx.method === 'POST' ? findCustomers(ctx, deps, q) : [],
  ]);
  const all = [...named, ...customers];
  // The page of an order shows the requests about it, too.
  const orders = new Set(all.flatMap(({ rewardId }) => rewardId ?? []));
  const shown = orders.size === 1 ? all.filter(({ kind }) => kind !== 'REQUEST') : all;
  const paths = new Set(shown.map(pathOfFound));
  const [path] = paths;
  if (paths.size === 1 && path) return redirect(ctx, path);
  render(ctx, findPage(q, all));
}

const crumbs = () => [['Request log', '/events']] as const;

/**
 * A request that recorded no event: refused, repeated, or only a read.
 * @param apiKey null if the key no longer exists
 */
function requestPage(
  ctx: PageContext<'partner'>,
  { request, apiKey }: { request: LoggedRequest; apiKey: string | null },
): Page {
  const { requestId, mode, code: outcomeCode, externalOrderId } = request;
  const isSignature = ['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE'].includes(outcomeCode);
  return page(
    {
      title: externalOrderId === null ? `Request ${requestId}` : `Request about ${externalOrderId}`,
      crumbs: crumbs(),
      mode,
      actions: outcome(outcomeCode),
    },
    html`<section class="card next"><p class="next-label">What it means</p><h2>${request.refusal ?? meaningOf(outcomeCode)}</h2><p>${wordsOfCode(outcomeCode)}</p>${isSignature ? html`<p>${linkIfOpen(ctx, '/doctor', 'Ask the signature doctor')}</p>` : nothing}</section>`,
    countNotice(request),
    requestSection(request, apiKey),
  );
}

/** Tells readers if the row represents several requests. */
function countNotice({ count, minute }: LoggedRequest): Html {
  if (count <= 1) return nothing;
  return notice(
    'info',
    html`This row represents ${number(count)} similar requests${minute ? html` in the minute from ${time(minute)}` : nothing}. It shows the newest of them, and when the first was received.`,
  );
}

function requestSection(request: LoggedRequest, apiKey: string | null): Html {
  const { externalOrderId, eventId, credentialId } = request;
  const unknown = html`<span class="muted">unknown</span>`;
  return section(
    'Request',
    definitions([
      ['Request', code(request.requestId, { canCopy: true })],
      ['Received', time(request.receivedAt)],
      ['Type', wordsOf(request.type)],
      ['Requested', code(`${request.method} ${request.path}`)],
      ['Status', number(request.status)],
      ['Code', code(request.code)],
      [
        'Order',
        externalOrderId === null
          ? unknown
          : html`<a href="/find?q=${encodeURIComponent(externalOrderId)}">${externalOrderId}</a>`,
      ],
      ['Event', eventId === null ? html`<span class="muted">none</span>` : idLink(eventId)],
      [
        senderLabel(credentialId),
        apiKey === null ? code(credentialId) : namedIdLink(credentialId, shortKey(apiKey)),
      ],
      ['Network', request.network ?? unknown],
    ]),
  );
}

/** @param outcomes of the events in the log, by event id */
function eventsPage(
  ctx: PageContext<'partner'>,
  asked: Asked,
  { events, newer, older }: LogPage,
  outcomes: ReadonlyMap<string, LogOutcome>,
): Page {
  const outcomeOf = ({ eventId }: LoggedRequest) =>
    eventId === null ? undefined : outcomes.get(eventId);
  return page(
    {
      title: 'Request log',
      lead: 'Every signed request, accepted or refused, newest first. Days are UTC.',
      actions: linkButton('/reconciliation', 'Compare with your orders', 'secondary'),
    },
    list(ctx, {
      asked,
      chips: {
        label: 'Outcome',
        name: 'code',
        choices: [
          ['Any outcome', ''],
          ['Refused', anyRefusal],
        ],
      },
      caption: 'Requests',
      columns: {
        Order: (event) =>
          html`<a href="${pathOfRequest(event, outcomeOf(event))}">${nameOf(event)}</a>`,
        State: {
          text(event) {
            const status = outcomeOf(event)?.rewardStatus;
            return status ? statusBadge(status) : outcomeInWords(event.code);
          },
        },
        Type: ({ type }) => wordsOf(type),
        Amount: {
          number(event) {
            const amount = outcomeOf(event)?.amount;
            return amount ? money(amount.cents, amount.currency) : none;
          },
        },
        Points: { number: (event) => outcomeOf(event)?.points ?? none },
        Received: ({ receivedAt }) => exactTime(receivedAt),
        // A row that represents several requests shows their count.
        '': ({ count }) => (count === 1 ? nothing : html`<strong>× ${number(count)}</strong>`),
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

/** The page of the order, or of what else a request recorded; otherwise the request's own. */
function pathOfRequest(
  { _id, code: outcomeCode, eventId }: LoggedRequest,
  known: LogOutcome | undefined,
): string {
  if (outcomeCode !== 'ACCEPTED' || eventId === null) return `/requests/${_id}`;
  return known ? `/orders/${known.rewardId}` : `/events/${eventId}`;
}

const nameOf = ({ externalOrderId, type }: LoggedRequest): Html =>
  externalOrderId === null
    ? html`${wordsOf(type)}`
    : html`<span class="clip" title="${externalOrderId}">${externalOrderId}</span>`;

/** The page of each kind of result that is not about an event; null if it has none. */
const pathOfKind: Record<SearchResultKind, (id: string) => string | null> = {
  EVENT: (id) => `/events/${id}`,
  REQUEST: (id) => `/requests/${id}`,
  REWARD: (id) => `/orders/${id}`,
  REDEMPTION: (id) => `/redemptions/${id}`,
  REVIEW: () => null,
  CUSTOMER: (id) => `/customers/${id}`,
  TRANSACTION: () => '/funding',
  INVOICE: (id) => `/invoices/${id}`,
  CREDENTIAL: (id) => `/keys/${id}`,
  RULE: (id) => `/rules/${id}`,
  INTEGRATION: (id) => `/integrations/${id}`,
  USER: () => null,
  PARTNER: () => '/profile',
};

/** The page of a result; null if it has none. */
function pathOfFound({ kind, id, eventId, rewardId }: SearchResult): string | null {
  if (rewardId !== undefined) return `/orders/${rewardId}`;
  return eventId === null ? pathOfKind[kind](id) : `/events/${eventId}`;
}

/** @param q the search text */
function findPage(q: string, all: readonly SearchResult[]): Page {
  return page(
    { title: 'Find', crumbs: [['Orders', '/orders']] },
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
      'Enter an order with or without #, or the beginning of it, a customer’s email or phone, the number of an invoice, the full ID of a refund, redemption, event, reward or request, or an Idempotency-Key. Case matters.',
      linkButton('/orders', 'View orders', 'secondary'),
    ),
  });
}
