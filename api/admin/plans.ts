import type { Router } from '@koa/router';
import Joi from 'joi';
import { given, type PageQuery, page, pageParameters } from '../../http/paging.ts';
import { archivePlanVersion } from '../../models/commands/archive-plan-version.ts';
import {
  createPlanVersion,
  type PlanVersionFields,
} from '../../models/commands/create-plan-version.ts';
import { findPlanVersion } from '../../models/commands/find-billing.ts';
import { publishPlanVersion } from '../../models/commands/publish-plan-version.ts';
import type { PlanVersionDoc } from '../../models/schemas/plan-version.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { currencyCode, shortText } from './fields.ts';
import { permit } from './permit.ts';

/** Names and types; the bounds of the numbers are the command's. */
const createSchema = Joi.object<PlanVersionFields>({
  planCode: Joi.string()
    .pattern(/^[a-z][a-z0-9-]{0,39}$/)
    .required()
    .messages({
      'string.pattern.base': 'planCode must be up to 40 small letters, digits and hyphens',
    }),
  name: shortText(100).required(),
  currency: currencyCode.default('USD'),
  monthlyPriceCents: Joi.number().required(),
  annualPriceCents: Joi.number().required(),
  includedPoints: Joi.number().required(),
  overageRateMicrosPerPoint: Joi.number().required(),
  apiRateLimitPerMinute: Joi.number().required(),
  supportClass: shortText(40).required(),
  features: Joi.array().items(shortText(100)).max(50).default([]),
});

const querySchema = Joi.object<PageQuery & { status?: PlanVersionDoc['status'] }>({
  status: Joi.string().valid('DRAFT', 'PUBLISHED', 'ARCHIVED'),
  ...pageParameters,
});

function presentPlan({ _id, ...plan }: PlanVersionDoc) {
  return { planVersionId: _id, ...plan };
}

export function planRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  router.get('/plans', permit('read'), async (ctx) => {
    const { status, ...paging } = queryOf(ctx, querySchema);
    ctx.body = await page(deps.models.planVersions, given({ status }), paging, presentPlan);
  });

  router.post('/plans', permit('plan.create'), jsonBody, async (ctx) => {
    const input = bodyOf(ctx, createSchema);
    const plan = await deed(
      deps,
      ctx,
      { action: 'plan.create', targetId: null, partnerId: null, details: { ...input } },
      () => createPlanVersion(deps, input),
      ({ _id: targetId }) => ({ targetId }),
    );
    ctx.status = 201;
    ctx.body = presentPlan(plan);
  });

  for (const [verb, action, command] of [
    ['publish', 'plan.publish', publishPlanVersion],
    ['archive', 'plan.archive', archivePlanVersion],
  ] as const) {
    router.post(`/plans/:planVersionId/${verb}`, permit(action), async (ctx) => {
      const { _id: targetId } = await findPlanVersion(deps.models, param(ctx, 'planVersionId'));
      const plan = await deed(deps, ctx, { action, targetId, partnerId: null }, () =>
        command(deps, targetId),
      );
      ctx.body = presentPlan(plan);
    });
  }
}
