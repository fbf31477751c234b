import type { Found } from '../../../../models/views/search-results.ts';
import type { PageContext } from '../../../context.ts';
import { badge, code, emptyState, table, wordsOf } from '../../components.ts';
import { html } from '../../html.ts';
import { adminPaths, to } from '../../links.ts';
import { linkIfOpen } from '../../onward-links.ts';
import { type Page, page } from '../../view.ts';

/** @param results of what was looked for */
export function searchPage(
  ctx: PageContext<'operator'>,
  q: string,
  results: readonly Found[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    { title: 'Search', lead: q === '' ? undefined : html`Results for “${q}”` },
    html`<section class="card">${table({
      caption: 'Found',
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
        { heading: 'Id', cell: ({ id }) => code(id, { canCopy: true }) },
      ],
      rows: results,
      empty: emptyState(
        q === '' ? 'Search' : 'No results',
        'A partner’s name, a user’s email address, the beginning of an API key, a bank reference, any id, or the whole name of an order, a refund, an Idempotency-Key, a request or a workflow.',
      ),
    })}<p class="way-on"><a href="/admin/find-customer">Find a customer by email or phone</a></p></section>`,
  );
}

/** An event's page tells of its request too; a request that recorded nothing has its own. */
export function pathOfResult({ kind, id, eventId, partnerId }: Found): string {
  if (kind === 'USER') return adminPaths.PARTNER + partnerId;
  if (kind === 'INVOICE') return `${adminPaths.PARTNER}${partnerId}/invoices/${id}`;
  if (kind === 'REQUEST' && eventId !== null) return `${adminPaths.EVENT}${eventId}`;
  return adminPaths[kind] + id;
}
