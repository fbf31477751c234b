import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Interval, intervals } from '../../domain/plan-arithmetic.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { cancelSubscription } from '../../models/commands/cancel-subscription.ts';
import { changePlan } from '../../models/commands/change-plan.ts';
import { findPartner } from '../../models/commands/find.ts';
import { findSubscription } from '../../models/commands/find-billing.ts';
import { subscribe } from '../../models/commands/subscribe.ts';
import type { SubscriptionDoc } from '../../models/schemas/subscription.ts';
import type { ApiDeps } from '../deps.ts';
import { presentInvoice } from '../routes/billing.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { permit } from './permit.ts';

const planVersionId = Joi.string().max(64).required();
const subscribeSchema = Joi.object<{ planVersionId: string; interval: Interval }>({
  planVersionId,
  interval: Joi.string()
    .valid(...intervals)
    .default('MONTH'),
});
const changeSchema = Joi.object<{ planVersionId: string }>({ planVersionId });

function presentSubscription({ _id, closing, proration, ...doc }: SubscriptionDoc) {
  return { subscriptionId: _id, ...doc, isBeingBilled: closing, upgradeToBill: proration };
}

export function subscriptionRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;
  const path = '/partners/:partnerId/subscription';

  router.get(path, permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = presentSubscription(await findSubscription(models, partnerId));
  });

  router.post(path, permit('subscription.create'), jsonBody, async (ctx) => {
    const input = bodyOf(ctx, subscribeSchema);
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const subscription = await deed(
      deps,
      ctx,
      { action: 'subscription.create', targetId: null, partnerId, details: { ...input } },
      () => subscribe(deps, { partnerId, ...input }),
      ({ _id: targetId }) => ({ targetId }),
    );
    ctx.status = 201;
    ctx.body = presentSubscription(subscription);
  });

  router.post(`${path}/change`, permit('subscription.change'), jsonBody, async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const input = bodyOf(ctx, changeSchema);
    const { _id: targetId } = await findSubscription(models, partnerId);
    const subscription = await deed(
      deps,
      ctx,
      { action: 'subscription.change', targetId, partnerId, details: { ...input } },
      () => changePlan(deps, partnerId, input.planVersionId),
    );
    ctx.body = presentSubscription(subscription);
  });

  router.post(`${path}/cancel`, permit('subscription.cancel'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const { _id: targetId } = await findSubscription(models, partnerId);
    const subscription = await deed(
      deps,
      ctx,
      { action: 'subscription.cancel', targetId, partnerId },
      () => cancelSubscription(deps, partnerId),
      ({ endsAt }) => ({ details: { endsAt } }),
    );
    ctx.body = presentSubscription(subscription);
  });

  router.get('/partners/:partnerId/invoices', permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.invoices, [{ partnerId }], query, presentInvoice);
  });
}
