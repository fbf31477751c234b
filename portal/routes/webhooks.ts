import Joi from 'joi';
import { deliveryStates, webhookEventTypes } from '../../domain/webhooks.ts';
import { type PageQuery, pageParameters, utcDay } from '../../http/query.ts';
import {
  findOwnWebhookEndpoint,
  readDeliveries,
  readDelivery,
  readWebhookEndpoints,
} from '../../models/views/webhooks.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  type DeliveryQuery,
  deliveryPage,
  webhookPage,
  webhooksPage,
} from '../html/pages/webhooks.ts';
import { render } from '../html/view.ts';
import { modeOf } from '../routing/chosen-mode.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

const deliveriesSchema = Joi.object<DeliveryQuery & PageQuery>({
  ...pageParameters,
  type: Joi.string().valid(...webhookEventTypes),
  state: Joi.string().valid(...deliveryStates),
  from: utcDay,
  to: utcDay,
});

/** A partner's webhook endpoints and their deliveries. */
export function webhookPages(routes: Routes): void {
  routes.page({ ...reading, path: '/webhooks' }, showEndpoints);
  routes.page(
    {
      ...reading,
      path: '/webhooks/deliveries/:deliveryId',
      params: { deliveryId: 'webhookDelivery' },
    },
    showDelivery,
  );
  routes.page(
    {
      ...reading,
      path: '/webhooks/:endpointId',
      params: { endpointId: 'webhookEndpoint' },
    },
    showEndpoint,
  );
}

async function showEndpoints(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const endpoints = await readWebhookEndpoints(deps, ownScope(ctx), mode);
  render(ctx, webhooksPage(ctx, mode, endpoints, deps.now()));
}

async function showEndpoint(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const endpoint = await findOwnWebhookEndpoint(deps, ownScope(ctx), param(ctx, 'endpointId'));
  const { from: fromDay, to: toDay, ...query } = queryOf(ctx, deliveriesSchema);
  const filter = { ...query, fromDay, toDay };
  const deliveries = await readDeliveries(deps, endpoint, filter, query);
  render(ctx, webhookPage(ctx, endpoint, deliveries, deps.now()));
}

async function showDelivery(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = await readDelivery(deps, ownScope(ctx), param(ctx, 'deliveryId'));
  render(ctx, deliveryPage(ctx, found, deps.now()));
}
