import Joi from 'joi';
import { searchText } from '../../http/query.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { findCustomersByContact } from '../../views/customers.ts';
import { lookUp, readPartnerNames } from '../../views/names.ts';
import {
  findByOperatorsId,
  findForOperators,
  type OperatorsKind,
  type SearchResult,
  searchResult,
} from '../../views/search.ts';
import { badge, code, emptyState, table, wordsOf } from '../components/components.ts';
import { html } from '../components/format.ts';
import { operatorPaths, to } from '../components/links.ts';
import { linkIfOpen } from '../components/onward-links.ts';
import { pathWith } from '../components/paging.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText } from '../forms/fields.ts';
import { actorOf } from '../operate.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const searchSchema = Joi.object<{ q?: string }>({ q: searchText });

const pathOfKind: Record<OperatorsKind, string> = {
  proposals: operatorPaths.PROPOSAL,
  operators: operatorPaths.OPERATOR,
  planVersions: operatorPaths.PLAN,
  auditEntries: operatorPaths.AUDIT_ENTRY,
  auditRuns: operatorPaths.AUDIT_RUN,
};

/**
 * The operators' search: any id or name, an address, an order, a refund, a key, a request, a bank
 * reference.
 */
export function operatorSearchPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/search', showSearch);
  routes.action('/admin/search', { schema: searchSchema, act: send });
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

/** @param results of the search */
function searchPage(
  ctx: PageContext<'operator'>,
  q: string,
  results: readonly SearchResult[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    {
      title: 'Search',
      lead: q === '' ? undefined : `Results for “${q}”`,
    },
    html`<section class="card">${table({
      caption: 'Results',
      columns: {
        Kind: ({ kind }) => wordsOf(kind),
        Name: (one) => linkIfOpen(ctx, pathOfResult(one), one.label, one.label),
        Mode: ({ mode }) => mode && badge(mode),
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        ID: ({ id }) => code(id, { canCopy: true }),
      },
      rows: results,
      empty: emptyState(
        q === '' ? 'Search' : 'No results',
        'Enter a partner’s name, the email address of a user or customer, a customer’s phone number with its country code, the beginning of an API key, a bank reference, any ID, or the full name of an order, refund, Idempotency-Key, request or workflow.',
      ),
    })}<p class="after"><a href="/admin/find-customer">Find a customer by email or phone</a></p></section>`,
  );
}

/** An order's page includes its requests; one that recorded no event has its own page. */
function pathOfResult({ kind, id, eventId, partnerId, rewardId }: SearchResult): string {
  if (rewardId !== undefined) return operatorPaths.REWARD + rewardId;
  if (kind === 'USER') return operatorPaths.PARTNER + partnerId;
  if (kind === 'INVOICE') return `${operatorPaths.PARTNER}${partnerId}/invoices/${id}`;
  if (kind === 'REQUEST' && eventId !== null) return `${operatorPaths.EVENT}${eventId}`;
  return operatorPaths[kind] + id;
}
