import type { Router } from '@koa/router';
import Joi from 'joi';
import { page, pageSchema } from '../../http/paging.ts';
import { createIntegration } from '../../models/commands/create-integration.ts';
import { findPartner } from '../../models/commands/find.ts';
import type { IntegrationDoc } from '../../models/schemas/integration.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { shortText } from './fields.ts';
import { permit } from './permit.ts';

const createSchema = Joi.object<{ name: string }>({
  name: shortText(100).required(),
});

function presentIntegration({ _id, partnerId, name, createdAt }: IntegrationDoc) {
  return { integrationId: _id, partnerId, name, createdAt };
}

export function integrationRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  router.post(
    '/partners/:partnerId/integrations',
    permit('integration.create'),
    jsonBody,
    async (ctx) => {
      const { name } = bodyOf(ctx, createSchema);
      const { _id: partnerId } = await findPartner(deps.models, param(ctx, 'partnerId'));
      const integration = await deed(
        deps,
        ctx,
        { action: 'integration.create', targetId: null, partnerId, details: { name } },
        () => createIntegration(deps, { partnerId, name }),
        ({ _id: targetId }) => ({ targetId }),
      );
      ctx.status = 201;
      ctx.body = presentIntegration(integration);
    },
  );

  router.get('/partners/:partnerId/integrations', permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(deps.models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(deps.models.integrations, [{ partnerId }], query, presentIntegration);
  });
}
