import type { Router } from '@koa/router';
import Joi from 'joi';
import { given, type PageQuery, page, pageParameters } from '../../http/paging.ts';
import type { PlanVersionDoc } from '../../models/schemas/billing.ts';
import { archivePlanVersion } from '../../operations/plans/archive.ts';
import { createPlanVersion } from '../../operations/plans/create.ts';
import { publishPlanVersion } from '../../operations/plans/publish.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

const querySchema = Joi.object<PageQuery & { status?: PlanVersionDoc['status'] }>({
  status: Joi.string().valid('DRAFT', 'PUBLISHED', 'ARCHIVED'),
  ...pageParameters,
});

function presentPlan({ _id, ...plan }: PlanVersionDoc) {
  return { planVersionId: _id, ...plan };
}

export function planRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  router.get('/plans', requirePermission('read'), async (ctx) => {
    const { status, ...paging } = queryOf(ctx, querySchema);
    ctx.body = await page(models.planVersions, given({ status }), paging, presentPlan);
  });

  operations.route('post', '/plans', createPlanVersion, {
    body: true,
    respond: (plan) => ({ status: 201, body: presentPlan(plan) }),
  });
  operations.route('post', '/plans/:planVersionId/publish', publishPlanVersion, {
    respond: (plan) => ({ status: 200, body: presentPlan(plan) }),
  });
  operations.route('post', '/plans/:planVersionId/archive', archivePlanVersion, {
    respond: (plan) => ({ status: 200, body: presentPlan(plan) }),
  });
}
