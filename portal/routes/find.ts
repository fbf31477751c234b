import Joi from 'joi';
import { lookUp } from '../../models/views/names.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { findPage, pathOfFound } from '../html/pages/find.ts';
import { render } from '../html/view.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const schema = Joi.object<{ q?: string }>({ q: Joi.string().max(255) });

/** The search by id; a single result opens at once. */
export function findPages(routes: Routes): void {
  routes.page({ path: '/find', audience: 'partner', permission: 'read' }, find);
}

async function find(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { q = '' } = queryOf(ctx, schema);
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const all = await lookUp({ ...deps, hashes }, ownScope(ctx), q);
  const paths = new Set(all.map(pathOfFound));
  const [path] = paths;
  if (paths.size === 1 && path) return redirect(ctx, path);
  render(ctx, findPage(q, all));
}
