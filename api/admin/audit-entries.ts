import type { Router } from '@koa/router';
import Joi from 'joi';
import { type DeedStatus, deedStatuses } from '../../domain/deeds.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import { namesOfActors } from '../../models/actors.ts';
import { type Closure, closeDeed, findDeed } from '../../models/commands/close-deed.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit-entry.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { shortText } from './fields.ts';
import { permit } from './permit.ts';

const querySchema = Joi.object<PageQuery & { partner?: string; status?: DeedStatus }>({
  partner: searchText,
  status: Joi.string().valid(...deedStatuses),
  ...pageParameters,
});

const closureSchema = Joi.object<Closure>({
  status: Joi.string().valid('DONE', 'FAILED').required(),
  reason: shortText(500).required(),
});

function presentAuditEntry({ _id, once, ...entry }: AuditEntryDoc) {
  return { auditEntryId: _id, ...entry };
}

/** Adds the names of who did it, and of who approved it. */
async function withNames(models: Models, entries: ReturnType<typeof presentAuditEntry>[]) {
  const ids = entries.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]);
  const nameOf = await namesOfActors(models, ids);
  return entries.map((entry) => ({
    ...entry,
    actorName: nameOf.get(entry.actorId) ?? null,
    approvedByName: nameOf.get(entry.approvedBy ?? '') ?? null,
  }));
}

export function auditEntryRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;

  router.get('/audit', permit('read'), async (ctx) => {
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

  router.post('/audit/:auditEntryId/closure', permit('audit.close'), jsonBody, async (ctx) => {
    const closure = bodyOf(ctx, closureSchema);
    const { _id: targetId, partnerId } = await findDeed(models, param(ctx, 'auditEntryId'));
    const closed = await deed(
      deps,
      ctx,
      { action: 'audit.close', partnerId, targetId, details: { status: closure.status } },
      () => closeDeed(deps, targetId, closure),
    );
    [ctx.body] = await withNames(models, [presentAuditEntry(closed)]);
  });
}
