import Joi from 'joi';
import { type Interval, intervals } from '../../../domain/plan-arithmetic.ts';
import {
  findActiveSubscription,
  readOffer,
  readSubscription,
} from '../../../models/views/subscriptions.ts';
import { execute } from '../../../operations/execute.ts';
import { cancelSubscription } from '../../../operations/subscriptions/cancel.ts';
import { changePlan } from '../../../operations/subscriptions/change-plan.ts';
import { subscribe } from '../../../operations/subscriptions/create.ts';
import { actorOf } from '../../../portal/operate.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { adminPaths } from '../../html/links.ts';
import {
  changePlanPage,
  subscribePage,
  subscriptionPage,
} from '../../html/pages/admin/subscription.ts';
import { render } from '../../html/view.ts';
import type { Routes } from '../../routing/route-table.ts';

const planVersionId = Joi.string()
  .max(64)
  .required()
  .messages({ 'any.required': 'Choose a plan.' });
const subscribeSchema = Joi.object<{ planVersionId: string; interval: Interval }>({
  planVersionId,
  interval: Joi.string()
    .valid(...intervals)
    .default('MONTH'),
});
const changeSchema = Joi.object<{ planVersionId: string }>({ planVersionId });

const params = { partnerId: 'partner' } as const;
const reading = {
  path: '/admin/partners/:partnerId/subscription',
  params,
  audience: 'operator',
  permission: 'read',
} as const;
const subscribing = {
  path: '/admin/partners/:partnerId/subscribe',
  params,
  audience: 'operator',
  permission: 'subscription.create',
  secondFactor: true,
} as const;
const changing = {
  path: '/admin/partners/:partnerId/plan',
  params,
  audience: 'operator',
  permission: 'subscription.change',
  secondFactor: true,
} as const;
const cancelling = {
  path: `${reading.path}/cancel`,
  params,
  audience: 'operator',
  permission: 'subscription.cancel',
  secondFactor: true,
} as const;

/** What a partner pays for: its plan, the running period, and its invoices. */
export function adminSubscriptionPages(routes: Routes): void {
  routes.page(reading, showSubscription);
  routes.page(subscribing, showSubscribe);
  routes.action(subscribing, { schema: subscribeSchema, act: begin, retry: showSubscribe });
  routes.page(changing, showChange);
  routes.action(changing, { schema: changeSchema, act: change, retry: showChange });
  routes.action(cancelling, { schema: Joi.object({}), act: cancel });
}

async function showSubscription(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, subscriptionPage(ctx, await readSubscription(deps, param(ctx, 'partnerId'))));
}

async function showSubscribe(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  render(ctx, subscribePage(ctx, await readOffer(deps, param(ctx, 'partnerId')), filled));
}

async function begin(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: { planVersionId: string; interval: Interval },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  await execute(deps, subscribe, actorOf(ctx), { partnerId, ...fields });
  redirect(ctx, `${adminPaths.PARTNER}${partnerId}/subscription`, 'The first period begins.');
}

async function showChange(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const offer = await readOffer(deps, param(ctx, 'partnerId'));
  render(ctx, changePlanPage(ctx, offer, { filled, at: new Date(deps.now()) }));
}

async function change(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  details: { planVersionId: string },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  await execute(deps, changePlan, actorOf(ctx), { partnerId, ...details });
  redirect(ctx, `${adminPaths.PARTNER}${partnerId}/subscription`, 'The plan is changed.');
}

async function cancel(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const subscription = await findActiveSubscription(deps, partnerId);
  const back = `${adminPaths.PARTNER}${partnerId}/subscription`;
  if (!subscription) return redirect(ctx, back, 'There is no subscription.', 'bad');
  await execute(deps, cancelSubscription, actorOf(ctx), { partnerId });
  redirect(ctx, back, 'It is cancelled, and runs to the end of its period.');
}
