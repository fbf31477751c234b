import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { defaultLimit } from '../../http/query.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { lookUpCustomers } from '../../views/customers.ts';
import { logCsv, readLog, readLogOutcomes } from '../../views/log.ts';
import { lookUp } from '../../views/names.ts';
import { readRequest } from '../../views/requests.ts';
import { type SearchResult, searchResult } from '../../views/search.ts';
import { pathWith } from '../components/paging.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, looksLikeContact } from '../forms/fields.ts';
import { asked } from '../lists/filters.ts';
import { logFilters, placeOf, placeSchema } from '../lists/log.ts';
import { orNotFound } from '../middleware/form.ts';
import { eventsPage, findPage, pathOfFound, requestPage } from '../pages/events.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

/** The log of signed requests, accepted or refused, and the page of one that recorded no event. */
export function eventsPages(routes: Routes): void {
  routes.page({ ...reading, path: '/events' }, showEvents);
  routes.page({ ...reading, path: '/events.csv' }, downloadEvents);
  routes.page(
    { ...reading, path: '/requests/:requestId', params: { requestId: 'request' } },
    showRequest,
  );
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

const finding = { path: '/find', audience: 'partner', permission: 'read' } as const;

/** The search for any id, order, invoice, payment or contact; a single result opens at once. */
export function findPages(routes: Routes): void {
  routes.page(finding, async (ctx, deps) => await find(ctx, deps, queryOf(ctx, schema).q ?? ''));
  // A POST, so that no URL contains a contact; contacts are handled here.
  routes.action(finding, {
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
