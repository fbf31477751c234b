import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import type { AuditRunDoc } from '../../models/schemas/audit.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, queryOf } from './context.ts';
import { requirePermission } from './require-permission.ts';

function presentAuditRun({ _id, ...run }: AuditRunDoc) {
  return { auditRunId: _id, alone: null, ...run };
}

export function auditRunRoutes(router: Router<OperatorState>, { models }: ApiDeps): void {
  router.get('/audit-runs', requirePermission('read'), async (ctx) => {
    ctx.body = await page(models.auditRuns, [], queryOf(ctx, pageSchema), presentAuditRun);
  });
}
