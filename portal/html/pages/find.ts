import type { SearchResult, SearchResultKind } from '../../../models/views/search.ts';
import { badge, code, emptyState, linkButton, table, wordsOf } from '../components.ts';
import { findForm } from '../find-form.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

/** The page of each kind of result that is not about an event; null if it has none. */
const pathOfKind: Record<SearchResultKind, (id: string) => string | null> = {
  EVENT: (id) => `/events/${id}`,
  REQUEST: (id) => `/requests/${id}`,
  REWARD: (id) => `/rewards/${id}`,
  REVIEW: () => null,
  CUSTOMER: () => null,
  TRANSACTION: () => '/funding',
  INVOICE: (id) => `/invoices/${id}`,
  CREDENTIAL: (id) => `/keys/${id}`,
  RULE: (id) => `/rules/${id}`,
  INTEGRATION: (id) => `/integrations/${id}`,
  USER: () => null,
  PARTNER: () => '/profile',
};

/** The page of a result; null if it has none. */
export const pathOfFound = ({ kind, id, eventId }: SearchResult): string | null =>
  eventId === null ? pathOfKind[kind](id) : `/events/${eventId}`;

/** @param q the search text */
export function findPage(q: string, all: readonly SearchResult[]): Page {
  return page(
    { title: 'Find', crumbs: [['Events', '/events']] },
    html`<section class="card find">${findForm(q)}</section>`,
    q.trim() === '' ? nothing : html`<section class="card">${results(q, all)}</section>`,
  );
}

function results(q: string, all: readonly SearchResult[]): Html {
  return table({
    caption: 'Results',
    columns: [
      { heading: 'Kind', cell: ({ kind }) => wordsOf(kind) },
      {
        heading: 'Name',
        cell: (one) => {
          const path = pathOfFound(one);
          const label = html`<span class="clip" title="${one.label}">${one.label}</span>`;
          return path === null ? label : html`<a href="${path}">${label}</a>`;
        },
      },
      { heading: 'Mode', cell: ({ mode }) => (mode ? badge(mode) : nothing) },
      { heading: 'ID', cell: ({ id }) => code(id) },
    ],
    rows: all,
    empty: emptyState(
      `No results for “${q}”`,
      'Enter the full ID of an order, refund, event, reward or request, or an Idempotency-Key. Case matters.',
      linkButton('/events', 'View events', 'secondary'),
    ),
  });
}
