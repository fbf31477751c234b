import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { IntegrationDoc } from '../../models/schemas/integrations.ts';
import { createIntegration } from '../../operations/integrations/create.ts';
import { updateIntegration } from '../../operations/integrations/update.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

function presentIntegration({ _id, partnerId, name, delivery, createdAt }: IntegrationDoc) {
  return { integrationId: _id, partnerId, name, delivery, createdAt };
}

export function integrationRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  operations.route('post', '/partners/:partnerId/integrations', createIntegration, {
    body: true,
    respond: (integration) => ({ status: 201, body: presentIntegration(integration) }),
  });

  operations.route('patch', '/partners/:partnerId/integrations/:integrationId', updateIntegration, {
    body: true,
    respond: (integration) => ({ status: 200, body: presentIntegration(integration) }),
  });

  router.get('/partners/:partnerId/integrations', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.integrations, [{ partnerId }], query, presentIntegration);
  });
}
