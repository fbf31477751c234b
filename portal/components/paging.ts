import { maxExportedRows } from '../../models/jobs/index.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/access.ts';
import { csrfInput, hidden } from './form.ts';
import { type Html, html, nothing, numberText } from './format.ts';

type ListContext = Pick<PageContext, 'path' | 'query'>;

/** Links to the newest and older rows of a list. */
export function pager({ path, query }: ListContext, nextCursor: string | null): Html {
  if (nextCursor === null && query.cursor === undefined) return nothing;
  const linkTo = (cursor: string) => pathWith(path, { ...query, cursor });
  return html`<nav class="pager" aria-label="Pages">
${query.cursor === undefined ? nothing : html`<a href="${linkTo('')}">Newest</a>`}
${nextCursor === null ? nothing : html`<a href="${linkTo(nextCursor)}" rel="next">Older</a>`}</nav>`;
}

/** Links to newer and older rows. @param places cursors of those pages, if there are any */
export function twoWayPager(
  { path, query }: ListContext,
  { newer, older }: { newer: string | null; older: string | null },
): Html {
  if (newer === null && older === null) return nothing;
  const { older: _older, newer: _newer, ...kept } = query;
  const linkTo = (place: Record<string, string>) => pathWith(path, { ...kept, ...place });
  return html`<nav class="pager" aria-label="Pages">
${newer === null ? nothing : html`<a href="${linkTo({ newer })}" rel="prev">Newer</a>`}
${older === null ? nothing : html`<a href="${linkTo({ older })}" rel="next">Older</a>`}</nav>`;
}

/** A path with the non-empty parameters of a query. */
export function pathWith(path: string, query: PageContext['query']): string {
  const kept = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
  );
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(kept))}`;
}

/**
 * The foot of an operators' list: an export of everything its filters show, and older rows.
 * @param path the list's name in its address
 */
export function listFoot(
  ctx: PageContext<'operator'>,
  path: 'reviews' | 'rewards' | 'ledger' | 'audit',
  rows: readonly unknown[],
  nextCursor: string | null,
): Html {
  const pages = pager(ctx, nextCursor);
  if (rows.length === 0 || !hasPermission(ctx.state.viewer, 'export.start')) return pages;
  const { cursor: _, ...filters } = ctx.query;
  return html`<div class="log-foot"><form method="post" action="/admin/${path}/export" class="export">${csrfInput(ctx)}${Object.entries(
    filters,
  ).map(([name, value]) =>
    typeof value === 'string' && value !== '' ? hidden(name, value) : nothing,
  )}<button type="submit" class="secondary">Export as CSV</button> <span class="muted">everything these filters show, up to ${numberText(maxExportedRows)} rows · <a href="/admin/exports">Your exports</a></span></form>${pages}</div>`;
}
