import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { TestPeriodDoc } from '../../models/schemas/billing.ts';
import { endTestPeriod } from '../../operations/test-clock/end-period.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

/** A TEST period. Its number starts with `TEST-`, as no invoice's does. */
function presentTestPeriod({ _id, seq, ...period }: TestPeriodDoc) {
  return { testPeriodId: _id, number: `TEST-${String(seq).padStart(4, '0')}`, ...period };
}

/** Rehearsals of billing: a TEST period moves no money and creates no debt. */
export function testPeriodRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const path = '/partners/:partnerId/test-periods';

  router.get(path, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.testPeriods, [{ partnerId }], query, presentTestPeriod);
  });

  operations.route('post', path, endTestPeriod, {
    body: true,
    respond: (period) => ({ status: 201, body: presentTestPeriod(period) }),
  });
}
