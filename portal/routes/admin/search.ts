import Joi from 'joi';
import { searchText } from '../../../http/query.ts';
import { findCustomersByContact } from '../../../models/views/customers.ts';
import { lookUp, readPartnerNames } from '../../../models/views/names.ts';
import {
  findByOperatorsId,
  findForOperators,
  type OperatorsKind,
  type SearchResult,
  searchResult,
} from '../../../models/views/search.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { createRequestHashes } from '../../../platform/hashing.ts';
import { type PageContext, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { contactOfText } from '../../forms/customer-contact.ts';
import { operatorPaths } from '../../html/links.ts';
import { pathWith } from '../../html/pager.ts';
import { pathOfResult, searchPage } from '../../html/pages/admin/search.ts';
import { render } from '../../html/view.ts';
import { actorOf } from '../../operate.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const querySchema = Joi.object<{ q?: string }>({ q: searchText });

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
  routes.action(searching, { schema: querySchema, act: send });
}

async function showSearch(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  await search(ctx, deps, queryOf(ctx, querySchema).q ?? '');
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
  const [first] = results;
  if (first && results.length === 1) return redirect(ctx, pathOfResult(first));
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
