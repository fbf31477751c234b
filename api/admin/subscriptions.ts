import type { Router } from '@koa/router';
import Joi from 'joi';
import type { Interval } from '../../domain/plan-arithmetic.ts';
import { cancelSubscription } from '../../models/commands/cancel-subscription.ts';
import { changePlan } from '../../models/commands/change-plan.ts';
import { findPartner } from '../../models/commands/find.ts';
import { findSubscription } from '../../models/commands/find-billing.ts';
import { subscribe } from '../../models/commands/subscribe.ts';
import type { SubscriptionDoc } from '../../models/schemas/subscription.ts';
import type { ApiDeps } from '../deps.ts';
import { presentInvoice } from '../routes/billing.ts';
import { type AdminContext, type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { type Deed, recordDeed } from './deeds.ts';
import { page, pageSchema } from './paging.ts';

const planVersionId = Joi.string().max(64).required();
const subscribeSchema = Joi.object<{ planVersionId: string; interval: Interval }>({
  planVersionId,
  interval: Joi.string().valid('MONTH', 'YEAR').default('MONTH'),
});
const changeSchema = Joi.object<{ planVersionId: string }>({ planVersionId });

export function presentSubscription({ _id, closing, proration, ...doc }: SubscriptionDoc) {
  return { subscriptionId: _id, ...doc, isBeingBilled: closing, upgradeToBill: proration };
}

export function subscriptionRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;
  const path = '/partners/:partnerId/subscription';

  router.get(path, async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = presentSubscription(await findSubscription(models, partnerId));
  });

  router.post(path, jsonBody, async (ctx) => {
    const partnerId = param(ctx, 'partnerId');
    const input = bodyOf(ctx, subscribeSchema);
    const subscription = await subscribe(deps, { partnerId, ...input });
    await record(ctx, 'subscription.create', subscription, { ...input });
    ctx.status = 201;
    ctx.body = presentSubscription(subscription);
  });

  router.post(`${path}/change`, jsonBody, async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const input = bodyOf(ctx, changeSchema);
    const subscription = await changePlan(deps, partnerId, input.planVersionId);
    await record(ctx, 'subscription.change', subscription, { ...input });
    ctx.body = presentSubscription(subscription);
  });

  router.post(`${path}/cancel`, async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const subscription = await cancelSubscription(deps, partnerId);
    await record(ctx, 'subscription.cancel', subscription, { endsAt: subscription.endsAt });
    ctx.body = presentSubscription(subscription);
  });

  router.get('/partners/:partnerId/invoices', async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.invoices, [{ partnerId }], query, presentInvoice);
  });

  async function record(
    ctx: AdminContext,
    action: Deed['action'],
    { _id: targetId, partnerId }: SubscriptionDoc,
    details: Record<string, unknown>,
  ): Promise<void> {
    await recordDeed(deps, ctx, { action, targetId, partnerId, details });
  }
}
