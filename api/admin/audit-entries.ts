import type { Router } from '@koa/router';
import Joi from 'joi';
import { type AuditStatus, auditStatuses } from '../../domain/audit-log.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import { namesOfActors } from '../../models/identity/actors.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import type { Models } from '../../models/schemas/index.ts';
import { closeAuditEntry } from '../../operations/audit-entries/close.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

const querySchema = Joi.object<PageQuery & { partner?: string; status?: AuditStatus }>({
  partner: searchText,
  status: Joi.string().valid(...auditStatuses),
  ...pageParameters,
});

function presentAuditEntry({
  _id,
  once,
  isAlone = false,
  ...entry
}: Omit<AuditEntryDoc, 'isAlone'> & { isAlone?: boolean }) {
  return { auditEntryId: _id, ...entry, isAlone };
}

/** Adds the names of the actor and of the approver; null where the id has no name. */
async function withNames(models: Models, entries: ReturnType<typeof presentAuditEntry>[]) {
  const ids = entries.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]);
  const nameOf = await namesOfActors(models, ids);
  return entries.map((entry) => ({
    ...entry,
    actorName: nameOf.get(entry.actorId) ?? null,
    approvedByName: nameOf.get(entry.approvedBy ?? '') ?? null,
  }));
}

export function auditEntryRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  router.get('/audit', requirePermission('read'), async (ctx) => {
    const { partner, status, ...paging } = queryOf(ctx, querySchema);
    const found = await page(
      models.auditEntries,
      given({ partnerId: partner, status }),
      paging,
      presentAuditEntry,
    );
    const items = await withNames(models, found.items);
    ctx.body = { ...found, items };
  });

  operations.route('post', '/audit/:auditEntryId/closure', closeAuditEntry, {
    body: true,
    async respond(closed) {
      const [body = {}] = await withNames(models, [presentAuditEntry(closed)]);
      return { status: 200, body };
    },
  });
}
