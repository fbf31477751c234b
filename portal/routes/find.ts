import Joi from 'joi';
import type { Found, FoundKind } from '../../models/views/found.ts';
import { lookUp } from '../../models/views/look-up.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { badge, code, emptyState, linkButton, table, wordsOf } from '../html/components.ts';
import { findForm } from '../html/find-form.ts';
import { html, nothing } from '../html/html.ts';
import { view } from '../html/view.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';

const schema = Joi.object<{ q?: string }>({ q: Joi.string().max(255) });

/** Where each kind is shown that is about no event; null where no page is. */
const pathOfKind: Record<FoundKind, (id: string) => string | null> = {
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
  PARTNER: () => '/profile',
};

const pathOf = ({ kind, id, eventId }: Found): string | null =>
  eventId === null ? pathOfKind[kind](id) : `/events/${eventId}`;

/** Finds whatever somebody has in hand: one thing opens at once. */
export function findPages(routes: Routes, { models, config }: PortalDeps): void {
  const hashes = createRequestHashes(config.customerHashKey);

  routes.page({ path: '/find', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { q = '' } = queryOf(ctx, schema);
    const all = await lookUp({ models, hashes }, ctx.state.viewer.partner._id, q);
    const paths = new Set(all.map(pathOf));
    const [path] = paths;
    if (paths.size === 1 && path) return redirect(ctx, path);
    view(
      ctx,
      { title: 'Find', crumbs: [['Events', '/events']] },
      html`<section class="card find">${findForm(q)}</section>`,
      q.trim() === '' ? nothing : html`<section class="card">${results(q, all)}</section>`,
    );
  });
}

function results(q: string, all: readonly Found[]) {
  return table({
    caption: 'What was found',
    columns: [
      { heading: 'What', cell: ({ kind }) => wordsOf(kind) },
      {
        heading: 'Name',
        cell: (one) => {
          const path = pathOf(one);
          const label = html`<span class="clip" title="${one.label}">${one.label}</span>`;
          return path === null ? label : html`<a href="${path}">${label}</a>`;
        },
      },
      { heading: 'Mode', cell: ({ mode }) => (mode ? badge(mode) : nothing) },
      { heading: 'Id', cell: ({ id }) => code(id) },
    ],
    rows: all,
    empty: emptyState(
      `Nothing of yours is called ${q}`,
      'Type the whole of it: an order, a refund, an event, a reward, a request or an Idempotency-Key. Capitals count.',
      linkButton('/events', 'To the events', 'secondary'),
    ),
  });
}
