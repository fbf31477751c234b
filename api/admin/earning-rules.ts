import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { activateRule } from '../../operations/earning-rules/activate.ts';
import { createRule } from '../../operations/earning-rules/create.ts';
import { deactivateRule } from '../../operations/earning-rules/deactivate.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

function presentRule({ _id, createdAt, ...rule }: EarningRuleDoc, active: boolean) {
  return { ruleId: _id, active, ...rule, createdAt };
}

export function earningRuleRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  operations.route('post', '/partners/:partnerId/earning-rules', createRule, {
    body: true,
    respond: (rule) => ({ status: 201, body: presentRule(rule, false) }),
  });

  router.get('/partners/:partnerId/earning-rules', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    const active = await Promise.all([
      findActiveRules(models, partnerId, 'TEST'),
      findActiveRules(models, partnerId, 'LIVE'),
    ]);
    const activeIds = new Set(active.flat().map(({ ruleId }) => ruleId));
    ctx.body = await page(models.earningRules, [{ partnerId }], query, (rule) =>
      presentRule(rule, activeIds.has(rule._id)),
    );
  });

  operations.route('post', '/earning-rules/:ruleId/activate', activateRule, {
    respond: ({ rule }) => ({ status: 200, body: presentRule(rule, true) }),
  });
  operations.route('post', '/earning-rules/:ruleId/deactivate', deactivateRule, {
    respond: ({ rule }) => ({ status: 200, body: presentRule(rule, false) }),
  });
}
