import type { SearchResult } from '../../../../models/views/search-results.ts';
import type { PageContext } from '../../../context.ts';
import { say } from '../../../words/say.ts';
import { badge, code, emptyState, table, wordsOf } from '../../components.ts';
import { html } from '../../html.ts';
import { operatorPaths, to } from '../../links.ts';
import { linkIfOpen } from '../../onward-links.ts';
import { type Page, page } from '../../view.ts';

/** @param results of the search */
export function searchPage(
  ctx: PageContext<'operator'>,
  q: string,
  results: readonly SearchResult[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    {
      title: say('admin.search.title'),
      lead: q === '' ? undefined : say('admin.search.resultsFor', { q }),
    },
    html`<section class="card">${table({
      caption: say('admin.search.caption'),
      columns: [
        { heading: say('common.kind'), cell: ({ kind }) => wordsOf(kind) },
        {
          heading: say('common.name'),
          cell: (one) => linkIfOpen(ctx, pathOfResult(one), one.label, one.label),
        },
        { heading: say('common.mode'), cell: ({ mode }) => mode && badge(mode) },
        {
          heading: say('common.partner'),
          cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        },
        { heading: say('common.id'), cell: ({ id }) => code(id, { canCopy: true }) },
      ],
      rows: results,
      empty: emptyState(
        q === '' ? say('admin.search.empty.title') : say('admin.search.empty.title.noResults'),
        say('admin.search.empty.text'),
      ),
    })}<p class="after"><a href="/admin/find-customer">${say('admin.search.link')}</a></p></section>`,
  );
}

/** An event's page includes its request; a request that recorded no event has its own page. */
export function pathOfResult({ kind, id, eventId, partnerId }: SearchResult): string {
  if (kind === 'USER') return operatorPaths.PARTNER + partnerId;
  if (kind === 'INVOICE') return `${operatorPaths.PARTNER}${partnerId}/invoices/${id}`;
  if (kind === 'REQUEST' && eventId !== null) return `${operatorPaths.EVENT}${eventId}`;
  return operatorPaths[kind] + id;
}
