import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Interval, intervals } from '../../domain/plan-arithmetic.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { endTestPeriod } from '../../models/commands/end-test-period.ts';
import { findPartner } from '../../models/commands/find.ts';
import type { TestPeriodDoc } from '../../models/schemas/test-period.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { permit } from './permit.ts';

const endSchema = Joi.object<{ planVersionId?: string; interval?: Interval }>({
  planVersionId: Joi.string().max(64),
  interval: Joi.string().valid(...intervals),
});

/** A TEST period, with the number that no invoice has. */
function presentTestPeriod({ _id, seq, ...period }: TestPeriodDoc) {
  return { testPeriodId: _id, number: `TEST-${String(seq).padStart(4, '0')}`, ...period };
}

/** The billing, rehearsed: what is here moves nothing and is owed by nobody. */
export function testPeriodRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;
  const path = '/partners/:partnerId/test-periods';

  router.get(path, permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.testPeriods, [{ partnerId }], query, presentTestPeriod);
  });

  router.post(path, permit('test-clock'), jsonBody, async (ctx) => {
    const input = bodyOf(ctx, endSchema);
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const period = await deed(
      deps,
      ctx,
      { action: 'test-clock.end-period', targetId: null, partnerId, details: { ...input } },
      () => endTestPeriod(deps, { partnerId, ...input }),
      ({ _id: targetId }) => ({ targetId }),
    );
    ctx.status = 201;
    ctx.body = presentTestPeriod(period);
  });
}
