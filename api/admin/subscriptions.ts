import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findSubscription } from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { SubscriptionDoc } from '../../models/schemas/billing.ts';
import { cancelSubscription } from '../../operations/subscriptions/cancel.ts';
import { changePlan } from '../../operations/subscriptions/change-plan.ts';
import { subscribe } from '../../operations/subscriptions/create.ts';
import type { ApiDeps } from '../deps.ts';
import { presentInvoice } from '../routes/billing.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

const presentSubscription = ({ _id, ...doc }: SubscriptionDoc) => ({
  subscriptionId: _id,
  ...doc,
});

export function subscriptionRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const path = '/partners/:partnerId/subscription';
  const changed = (subscription: SubscriptionDoc) => ({
    status: 200,
    body: presentSubscription(subscription),
  });

  router.get(path, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = presentSubscription(await findSubscription(models, partnerId));
  });

  operations.route('post', path, subscribe, {
    body: true,
    respond: (subscription) => ({ ...changed(subscription), status: 201 }),
  });
  operations.route('post', `${path}/change`, changePlan, { body: true, respond: changed });
  operations.route('post', `${path}/cancel`, cancelSubscription, { respond: changed });

  router.get('/partners/:partnerId/invoices', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.invoices, [{ partnerId }], query, presentInvoice);
  });
}
