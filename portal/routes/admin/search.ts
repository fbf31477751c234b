import Joi from 'joi';
import { searchText } from '../../../http/paging.ts';
import {
  findByOperatorsId,
  type OperatorsKind,
} from '../../../models/views/find-by-operators-id.ts';
import { findForOperators } from '../../../models/views/find-for-operators.ts';
import { lookUp } from '../../../models/views/look-up.ts';
import { readPartnerNames } from '../../../models/views/names.ts';
import { createRequestHashes } from '../../../platform/hashing.ts';
import { type PageContext, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { adminPaths } from '../../html/links.ts';
import { pathOfResult, searchPage } from '../../html/pages/admin/search.ts';
import { render } from '../../html/view.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const querySchema = Joi.object<{ q?: string }>({ q: searchText });

const pathOfKind: Record<OperatorsKind, string> = {
  proposals: adminPaths.PROPOSAL,
  operators: adminPaths.OPERATOR,
  planVersions: adminPaths.PLAN,
  auditEntries: adminPaths.AUDIT_ENTRY,
  auditRuns: adminPaths.AUDIT_RUN,
};

/** One box that takes any id or name, an order, a refund, a key, a request, a bank reference. */
export function adminSearchPages(routes: Routes): void {
  routes.page({ path: '/admin/search', audience: 'operator', permission: 'read' }, search);
}

async function search(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { q = '' } = queryOf(ctx, querySchema);
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const [named, ours] = await Promise.all([
    lookUp({ ...deps, hashes }, null, q),
    findForOperators(deps, q),
  ]);
  const known = new Set(named.map(({ id }) => id));
  const results = [...named, ...ours.filter(({ id }) => !known.has(id))];
  const [first] = results;
  if (first && results.length === 1) return redirect(ctx, pathOfResult(first));
  const kind = await findByOperatorsId(deps, q.trim());
  if (kind !== null) return redirect(ctx, pathOfKind[kind] + q.trim());
  render(ctx, searchPage(ctx, q, results, await readPartnerNames(deps, results)));
}
