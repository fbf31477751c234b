import type { PageContext } from '../context.ts';
import { say } from '../words/say.ts';
import { type Html, html, nothing } from './html.ts';

type ListContext = Pick<PageContext, 'path' | 'query'>;

/** Leads on to older rows of a list that goes one way. */
export function pager({ path, query }: ListContext, nextCursor: string | null): Html {
  if (nextCursor === null && query.cursor === undefined) return nothing;
  const linkTo = (cursor: string) => pathWith(path, { ...query, cursor });
  return html`<nav class="pager" aria-label="${say('pager.pages')}">
${query.cursor === undefined ? nothing : html`<a href="${linkTo('')}">${say('pager.newest')}</a>`}
${nextCursor === null ? nothing : html`<a href="${linkTo(nextCursor)}" rel="next">${say('pager.older')}</a>`}</nav>`;
}

/** Leads on to older rows, and back to newer ones. @param places where those pages begin, if there are any */
export function bothWays(
  { path, query }: ListContext,
  { newer, older }: { newer: string | null; older: string | null },
): Html {
  if (newer === null && older === null) return nothing;
  const { older: _older, newer: _newer, ...kept } = query;
  const linkTo = (place: Record<string, string>) => pathWith(path, { ...kept, ...place });
  return html`<nav class="pager" aria-label="${say('pager.pages')}">
${newer === null ? nothing : html`<a href="${linkTo({ newer })}" rel="prev">${say('pager.newer')}</a>`}
${older === null ? nothing : html`<a href="${linkTo({ older })}" rel="next">${say('pager.older')}</a>`}</nav>`;
}

/** A path with what of a query is not empty. */
export function pathWith(path: string, query: PageContext['query']): string {
  const kept = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
  );
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(kept))}`;
}
