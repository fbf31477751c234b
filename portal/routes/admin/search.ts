import Joi from 'joi';
import { searchText } from '../../../http/paging.ts';
import type { Found } from '../../../models/views/found.ts';
import { lookUp } from '../../../models/views/look-up.ts';
import { namesOfPartners } from '../../../models/views/names.ts';
import { createRequestHashes } from '../../../platform/hashing.ts';
import { redirect } from '../../context.ts';
import type { PortalDeps } from '../../deps.ts';
import { badge, code, emptyState, table, wordsOf } from '../../html/components.ts';
import { html } from '../../html/html.ts';
import { adminPaths, to } from '../../html/links.ts';
import { view } from '../../html/view.ts';
import { linkIfOpen } from '../../html/way-on.ts';
import { paramKinds } from '../../params.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

const querySchema = Joi.object<{ q?: string }>({ q: searchText });

/** One box that takes any id, order, refund, key, request or workflow. */
export function adminSearchPages(routes: Routes, { models, config }: PortalDeps): void {
  const hashes = createRequestHashes(config.customerHashKey);

  routes.page({ path: '/admin/search', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { q = '' } = queryOf(ctx, querySchema);
    const found = await lookUp({ models, hashes }, null, q);
    const [first] = found;
    const direct = first && found.length === 1 ? pathOf(first) : await pathOfOurs(q.trim());
    if (direct !== null) return redirect(ctx, direct);
    const nameOf = await namesOfPartners(
      models,
      found.map(({ partnerId }) => partnerId),
    );
    view(
      ctx,
      { title: 'Search', lead: q === '' ? undefined : html`What ${code(q)} names.` },
      html`<section class="card">${table({
        caption: 'Found',
        columns: [
          { heading: 'Kind', cell: ({ kind }) => wordsOf(kind) },
          { heading: 'Name', cell: (one) => linkIfOpen(ctx, pathOf(one), one.label, one.label) },
          { heading: 'Mode', cell: ({ mode }) => mode && badge(mode) },
          {
            heading: 'Partner',
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          { heading: 'Id', cell: ({ id }) => code(id, { canCopy: true }) },
        ],
        rows: found,
        empty: emptyState(
          q === '' ? 'Look for anything' : 'Nothing has this name',
          'Any id, an order, a refund, an Idempotency-Key, an API key, a request’s id or a workflow’s. It is looked for as a whole, letter by letter.',
        ),
      })}</section>`,
    );
  });

  /** What operators alone have: it belongs to no partner. */
  async function pathOfOurs(_id: string): Promise<string | null> {
    const { proposals, admins, planVersions, auditEntries, auditRuns } = models;
    const ours = [
      { kind: 'proposal', model: proposals, path: adminPaths.PROPOSAL },
      { kind: 'operator', model: admins, path: adminPaths.OPERATOR },
      { kind: 'planVersion', model: planVersions, path: adminPaths.PLAN },
      { kind: 'auditEntry', model: auditEntries, path: adminPaths.AUDIT_ENTRY },
      { kind: 'auditRun', model: auditRuns, path: adminPaths.AUDIT_RUN },
    ] as const;
    const own = ours.find(({ kind }) => paramKinds[kind].test(_id));
    if (!own) return null;
    const isThere = await own.model.collection.countDocuments({ _id } as never, { limit: 1 });
    return isThere > 0 ? own.path + _id : null;
  }
}

/** An event's page tells of its request too; a request that recorded nothing has its own. */
function pathOf({ kind, id, eventId, partnerId }: Found): string {
  if (kind === 'INVOICE') return `${adminPaths.PARTNER}${partnerId}/subscription`;
  if (kind === 'REQUEST' && eventId !== null) return `${adminPaths.EVENT}${eventId}`;
  return adminPaths[kind] + id;
}
