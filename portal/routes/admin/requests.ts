import Joi from 'joi';
import { defaultLimit, searchText } from '../../../http/query.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { createRequestHashes } from '../../../platform/hashing.ts';
import { findCustomersByContact } from '../../../views/customers.ts';
import { rewardOfEvent } from '../../../views/event.ts';
import { lookUp, readPartnerNames } from '../../../views/names.ts';
import { scopeOf } from '../../../views/partner-scope.ts';
import { readPartner } from '../../../views/partners.ts';
import { readRedemption, redemptionOfEvent } from '../../../views/redemptions.ts';
import { readAnyRequest, readEveryonesLog } from '../../../views/requests.ts';
import {
  findByOperatorsId,
  findForOperators,
  type OperatorsKind,
  type SearchResult,
  searchResult,
} from '../../../views/search.ts';
import { operatorPaths } from '../../components/links.ts';
import { pathWith } from '../../components/paging.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { contactOfText } from '../../forms/fields.ts';
import { asked } from '../../lists/filters.ts';
import { placeOf, placeSchema } from '../../lists/log.ts';
import { notFound, orNotFound } from '../../middleware/form.ts';
import { actorOf } from '../../operate.ts';
import {
  anyRedemptionPage,
  anyRequestPage,
  pathOfResult,
  requestFilters,
  requestsPage,
  searchPage,
} from '../../pages/admin/requests.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const reading = { audience: 'operator', permission: 'read' } as const;

/** The signed requests of all partners, accepted or refused. */
export function operatorRequestPages(routes: Routes): void {
  routes.page({ ...reading, path: '/admin/requests' }, showRequests);
  routes.page(
    { ...reading, path: '/admin/requests/:requestId', params: { requestId: 'request' } },
    showRequest,
  );
}

async function showRequests(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, requestFilters);
  const { partnerId, ...filter } = list.filter;
  const whose = { ...filter, partnerId: partnerId ? scopeOf({ _id: partnerId }) : null };
  const place = placeOf(queryOf(ctx, placeSchema));
  render(ctx, requestsPage(ctx, list, await readEveryonesLog(deps, whose, defaultLimit, place)));
}

async function showRequest(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const requestId = param(ctx, 'requestId');
  const request = await readAnyRequest(deps, requestId);
  if (request) {
    const { integrationId, credentialId } = request.request;
    await nameIds(ctx, deps, [integrationId, credentialId]);
    return render(ctx, anyRequestPage(ctx, request));
  }
  // For a moment after a purchase's response, only the event exists, and its log row does not.
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const [accepted] = await lookUp({ ...deps, hashes }, null, requestId);
  if (!accepted?.eventId) throw notFound();
  redirect(ctx, operatorPaths.EVENT + accepted.eventId);
}

/** An accepted purchase or refund: request, response and outcome; and a redemption. */
export function operatorEventPages(routes: Routes): void {
  routes.page(
    {
      path: '/admin/events/:eventId',
      params: { eventId: 'event' },
      audience: 'operator',
      permission: 'read',
    },
    showEvent,
  );
  routes.page(
    {
      ...reading,
      path: '/admin/redemptions/:redemptionId',
      params: { redemptionId: 'redemption' },
    },
    showRedemption,
  );
}

/** What an event recorded: its order, or a redemption. */
async function showEvent(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const eventId = param(ctx, 'eventId');
  const rewardId = await rewardOfEvent(deps, null, eventId);
  if (rewardId !== null) return redirect(ctx, operatorPaths.REWARD + rewardId);
  const redemptionId = await redemptionOfEvent(deps, null, eventId);
  redirect(ctx, operatorPaths.REDEMPTION + orNotFound(redemptionId));
}

async function showRedemption(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const details = orNotFound(await readRedemption(deps, null, param(ctx, 'redemptionId')));
  const { partnerId } = details.redemption;
  render(ctx, anyRedemptionPage(ctx, details, await readPartner(deps, partnerId), deps.config));
}

const searchSchema = Joi.object<{ q?: string }>({ q: searchText });

const pathOfKind: Record<OperatorsKind, string> = {
  proposals: operatorPaths.PROPOSAL,
  operators: operatorPaths.OPERATOR,
  planVersions: operatorPaths.PLAN,
  auditEntries: operatorPaths.AUDIT_ENTRY,
  auditRuns: operatorPaths.AUDIT_RUN,
};

const searching = { path: '/admin/search', audience: 'operator', permission: 'read' } as const;

/**
 * The operators' search: any id or name, an address, an order, a refund, a key, a request, a bank
 * reference.
 */
export function operatorSearchPages(routes: Routes): void {
  routes.page(searching, showSearch);
  routes.action(searching, { schema: searchSchema, act: send });
}

async function showSearch(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  await search(ctx, deps, queryOf(ctx, searchSchema).q ?? '');
}

/** The search is a POST, so that no URL contains a contact; contacts are handled here. */
async function send(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { q = '' }: { q?: string },
): Promise<void> {
  if (isContact(q)) await search(ctx, deps, q);
  else redirect(ctx, pathWith('/admin/search', { q }));
}

const isContact = (q: string): boolean =>
  /^\s*\S+@\S+\s*$/.test(q) || /^\s*\+[\d\s()./-]{6,}$/.test(q);

async function search(ctx: PageContext<'operator'>, deps: PageDeps, q: string): Promise<void> {
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const [named, ours, customers] = await Promise.all([
    lookUp({ ...deps, hashes }, null, q),
    findForOperators(deps, q),
    isContact(q) ? findCustomers(ctx, deps, q.trim()) : [],
  ]);
  const known = new Set(named.map(({ id }) => id));
  const results = [...named, ...ours.filter(({ id }) => !known.has(id)), ...customers];
  const [path, ...others] = new Set(results.map(pathOfResult));
  if (path !== undefined && others.length === 0) return redirect(ctx, path);
  const kind = await findByOperatorsId(deps, q.trim());
  if (kind !== null) return redirect(ctx, pathOfKind[kind] + q.trim());
  render(ctx, searchPage(ctx, q, results, await readPartnerNames(deps, results)));
}

/** Finds customers at all partners by their contact. The audit log records the matches, not the contact. */
async function findCustomers(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  contact: string,
): Promise<SearchResult[]> {
  const rows = await findCustomersByContact(
    deps,
    deps.config.customerHashKey,
    contactOfText(contact),
  );
  for (const { partnerId, customerId: targetId } of rows) {
    await auditRead(deps, actorOf(ctx), { action: 'customer.read', partnerId, targetId });
  }
  return rows.map(({ partnerId, customerId }) =>
    searchResult('CUSTOMER', { _id: customerId, partnerId }, 'Customer'),
  );
}
