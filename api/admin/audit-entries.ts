import type { Router } from '@koa/router';
import Joi from 'joi';
import type { AuditEntryDoc } from '../../models/schemas/audit-entry.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, queryOf } from './context.ts';
import { given, type PageQuery, page, pageParameters, searchText } from './paging.ts';

const querySchema = Joi.object<PageQuery & { partner?: string }>({
  partner: searchText,
  ...pageParameters,
});

function presentAuditEntry({ _id, ...entry }: AuditEntryDoc) {
  return { auditEntryId: _id, ...entry };
}

export function auditEntryRoutes(router: Router<AdminState>, { models }: ApiDeps): void {
  router.get('/audit', async (ctx) => {
    const { partner, ...paging } = queryOf(ctx, querySchema);
    const found = await page(
      models.auditEntries,
      given({ partnerId: partner }),
      paging,
      presentAuditEntry,
    );
    const adminIds = [...new Set(found.items.map(({ adminId }) => adminId))];
    const admins = await models.admins.find({ _id: { $in: adminIds } }, { name: 1 }).lean();
    const nameOf = new Map(admins.map(({ _id, name }) => [_id, name]));
    const items = found.items.map((entry) => ({
      ...entry,
      adminName: nameOf.get(entry.adminId) ?? null,
    }));
    ctx.body = { ...found, items };
  });
}
