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
    { title: 'Search', lead: q === '' ? undefined : html`Results for ${code(q)}` },
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
        q === '' ? 'Look for anything' : 'No results',
        'Any id, an order, a refund, an Idempotency-Key, an API key, a request’s id or a workflow’s. It is looked for as a whole, letter by letter.',
      ),
    })}</section>`,
  );
}

/** An event's page tells of its request too; a request that recorded nothing has its own. */
export function pathOfResult({ kind, id, eventId, partnerId }: Found): string {
  if (kind === 'INVOICE') return `${adminPaths.PARTNER}${partnerId}/subscription`;
  if (kind === 'REQUEST' && eventId !== null) return `${adminPaths.EVENT}${eventId}`;
  return adminPaths[kind] + id;
}
