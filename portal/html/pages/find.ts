import type { SearchResult, SearchResultKind } from '../../../models/views/search-results.ts';
import { say } from '../../words/say.ts';
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
    { title: say('find.title'), crumbs: [[say('common.events'), '/events']] },
    html`<section class="card find">${findForm(q)}</section>`,
    q.trim() === '' ? nothing : html`<section class="card">${results(q, all)}</section>`,
  );
}

function results(q: string, all: readonly SearchResult[]): Html {
  return table({
    caption: say('find.results.caption'),
    columns: [
      { heading: say('common.kind'), cell: ({ kind }) => wordsOf(kind) },
      {
        heading: say('common.name'),
        cell: (one) => {
          const path = pathOfFound(one);
          const label = html`<span class="clip" title="${one.label}">${one.label}</span>`;
          return path === null ? label : html`<a href="${path}">${label}</a>`;
        },
      },
      { heading: say('common.mode'), cell: ({ mode }) => (mode ? badge(mode) : nothing) },
      { heading: say('common.id'), cell: ({ id }) => code(id) },
    ],
    rows: all,
    empty: emptyState(
      say('find.results.empty.title', { q }),
      say('find.results.empty.text'),
      linkButton('/events', say('find.viewEvents'), 'secondary'),
    ),
  });
}
