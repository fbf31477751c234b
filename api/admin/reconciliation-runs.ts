import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import type { ReconciliationRunDoc } from '../../models/schemas/reconciliation-run.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, queryOf } from './context.ts';
import { permit } from './permit.ts';

function presentReconciliationRun({ _id, ...run }: ReconciliationRunDoc) {
  return { reconciliationRunId: _id, ...run };
}

export function reconciliationRunRoutes(router: Router<AdminState>, { models }: ApiDeps): void {
  router.get('/reconciliation-runs', permit('read'), async (ctx) => {
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.reconciliationRuns, [], query, presentReconciliationRun);
  });
}
