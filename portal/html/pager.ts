import type { PageContext } from '../context.ts';
import { type Html, html, nothing } from './html.ts';

/** Leads on to older rows, and back to newer ones. @param places where those pages begin, if there are any */
export function bothWays(
  { path, query }: Pick<PageContext, 'path' | 'query'>,
  { newer, older }: { newer: string | null; older: string | null },
): Html {
  if (newer === null && older === null) return nothing;
  const linkTo = (place: Record<string, string>) => {
    const { olderThan: _older, newerThan: _newer, ...kept } = query;
    const pairs = Object.entries({ ...kept, ...place }).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value] as [string, string]] : [],
    );
    return `${path}?${new URLSearchParams(pairs)}`;
  };
  return html`<nav class="pager" aria-label="Pages">
${newer === null ? nothing : html`<a href="${linkTo({ newerThan: newer })}" rel="prev">Newer</a>`}
${older === null ? nothing : html`<a href="${linkTo({ olderThan: older })}" rel="next">Older</a>`}</nav>`;
}
