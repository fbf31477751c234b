import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import type { ReconciliationRunDoc } from '../../models/schemas/processes.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, queryOf } from './context.ts';
import { requirePermission } from './require-permission.ts';

function presentReconciliationRun({ _id, ...run }: ReconciliationRunDoc) {
  return { reconciliationRunId: _id, ...run };
}

export function reconciliationRunRoutes(router: Router<OperatorState>, { models }: ApiDeps): void {
  router.get('/reconciliation-runs', requirePermission('read'), async (ctx) => {
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.reconciliationRuns, [], query, presentReconciliationRun);
  });
}
