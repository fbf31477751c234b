import type { Router } from '@koa/router';
import Joi from 'joi';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import type { IntegrationEventDoc } from '../../models/schemas/integration-event.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, queryOf } from './context.ts';
import { permit } from './permit.ts';

const querySchema = Joi.object<PageQuery & { partner?: string; code?: string }>({
  partner: searchText,
  code: searchText,
  ...pageParameters,
});

function presentIntegrationEvent({ _id, ...event }: IntegrationEventDoc) {
  return { integrationEventId: _id, ...event };
}

export function integrationEventRoutes(router: Router<AdminState>, { models }: ApiDeps): void {
  router.get('/integration-events', permit('read'), async (ctx) => {
    const { partner, code, ...paging } = queryOf(ctx, querySchema);
    const conditions = given({ partnerId: partner, code });
    ctx.body = await page(models.integrationEvents, conditions, paging, presentIntegrationEvent);
  });
}
