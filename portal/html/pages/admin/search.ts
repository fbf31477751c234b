import type { SearchResult } from '../../../../models/views/search.ts';
import type { PageContext } from '../../../context.ts';
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
      title: 'Search',
      lead: q === '' ? undefined : `Results for “${q}”`,
    },
    html`<section class="card">${table({
      caption: 'Results',
      columns: [
        { heading: 'Kind', cell: ({ kind }) => wordsOf(kind) },
        {
          heading: 'Name',
          cell: (one) => linkIfOpen(ctx, pathOfResult(one), one.label, one.label),
        },
        { heading: 'Mode', cell: ({ mode }) => mode && badge(mode) },
        {
          heading: 'Partner',
          cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        },
        { heading: 'ID', cell: ({ id }) => code(id, { canCopy: true }) },
      ],
      rows: results,
      empty: emptyState(
        q === '' ? 'Search' : 'No results',
        'Enter a partner’s name, the email address of a user or customer, a customer’s phone number with its country code, the beginning of an API key, a bank reference, any ID, or the full name of an order, refund, Idempotency-Key, request or workflow.',
      ),
    })}<p class="after"><a href="/admin/find-customer">Find a customer by email or phone</a></p></section>`,
  );
}

/** An event's page includes its request; a request that recorded no event has its own page. */
export function pathOfResult({ kind, id, eventId, partnerId }: SearchResult): string {
  if (kind === 'USER') return operatorPaths.PARTNER + partnerId;
  if (kind === 'INVOICE') return `${operatorPaths.PARTNER}${partnerId}/invoices/${id}`;
  if (kind === 'REQUEST' && eventId !== null) return `${operatorPaths.EVENT}${eventId}`;
  return operatorPaths[kind] + id;
}
