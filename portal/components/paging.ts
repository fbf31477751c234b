import type { PageContext } from '../context.ts';
import { type Html, html, nothing } from './format.ts';

type ListContext = Pick<PageContext, 'path' | 'query'>;

/** Links to the newest and older rows. */
export function pager({ path, query }: ListContext, nextCursor: string | null): Html {
  if (nextCursor === null && query.cursor === undefined) return nothing;
  const linkTo = (cursor: string) => pathWith(path, { ...query, cursor });
  return html`<nav class="pager" aria-label="Pages">
${query.cursor === undefined ? nothing : html`<a href="${linkTo('')}">Newest</a>`}
${nextCursor === null ? nothing : html`<a href="${linkTo(nextCursor)}" rel="next">Older</a>`}</nav>`;
}

/** Links to newer and older rows. @param places where those pages begin, if there are any */
export function twoWayPager(
  { path, query }: ListContext,
  { newer, older }: { newer: string | null; older: string | null },
): Html {
  if (newer === null && older === null) return nothing;
  const link = (place: Record<string, string>, words: string, rel: string) =>
    html`<a href="${pathWith(path, { ...query, ...firstPage, ...place })}" rel="${rel}">${words}</a>`;
  return html`<nav class="pager" aria-label="Pages">
${newer === null ? nothing : html`${link({}, 'Newest', 'first')} ${link({ newer }, 'Newer', 'prev')}`}
${older === null ? nothing : link({ older }, 'Older', 'next')}</nav>`;
}

/** Cursors belong to what is shown and are dropped with it. */
export const firstPage = { cursor: '', older: '', newer: '' };

/** The non-empty parameters of a query. */
export const filledIn = (query: PageContext['query']): [name: string, value: string][] =>
  Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as [string, string]] : [],
  );

/** A path with the non-empty parameters of a query. */
export function pathWith(path: string, query: PageContext['query']): string {
  const kept = filledIn(query);
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}
