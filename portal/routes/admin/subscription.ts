import Joi from 'joi';
import { type Interval, intervals } from '../../../domain/billing.ts';
import { execute } from '../../../operations/execute.ts';
import { cancelSubscription, changePlan, subscribe } from '../../../operations/subscriptions.ts';
import { actorOf, whenDone } from '../../../portal/operate.ts';
import {
  findActiveSubscription,
  readOffer,
  readPartnerInvoice,
  readSubscription,
} from '../../../views/billing.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { sendInvoicePdf } from '../../jobs.ts';
import { orNotFound } from '../../middleware/form.ts';
import {
  changePlanPage,
  partnerCreditNotePage,
  partnerInvoicePage,
  subscribePage,
  subscriptionPage,
} from '../../pages/admin/subscription.ts';
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
const ofInvoice = {
  path: '/admin/partners/:partnerId/invoices/:invoiceId',
  params: { partnerId: 'partner', invoiceId: 'invoice' },
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

/** A partner's plan, current period and invoices. */
export function operatorSubscriptionPages(routes: Routes): void {
  routes.page(reading, showSubscription);
  routes.page(ofInvoice, showInvoice);
  routes.page({ ...ofInvoice, path: `${ofInvoice.path}/invoice.pdf` }, downloadPdf);
  routes.page({ ...ofInvoice, path: `${ofInvoice.path}/credit-note` }, showCreditNote);
  routes.page(subscribing, showSubscribe);
  routes.action(subscribing, { schema: subscribeSchema, act: begin, retry: showSubscribe });
  routes.page(changing, showChange);
  routes.action(changing, { schema: changeSchema, act: change, retry: showChange });
  routes.action(cancelling, { schema: Joi.object({}), act: cancel });
}

async function showSubscription(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(
    ctx,
    subscriptionPage(ctx, await readSubscription(deps, param(ctx, 'partnerId')), {
      hasIssuer: deps.config.issuer !== null,
      now: new Date(deps.now()),
    }),
  );
}

const findInvoice = (ctx: PageContext<'operator'>, deps: PageDeps) =>
  readPartnerInvoice(deps, param(ctx, 'partnerId'), param(ctx, 'invoiceId'));

async function showInvoice(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, partnerInvoicePage(ctx, await findInvoice(ctx, deps), new Date(deps.now())));
}

async function downloadPdf(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { partner, ...found } = await findInvoice(ctx, deps);
  await sendInvoicePdf(ctx, found, partner);
}

async function showCreditNote(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const found = await findInvoice(ctx, deps);
  orNotFound(found.invoice.creditNote);
  render(ctx, partnerCreditNotePage(found));
}

async function showSubscribe(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const offer = await readOffer(deps, param(ctx, 'partnerId'));
  render(ctx, subscribePage(ctx, offer, { takesTwo: deps.config.approvals.isOn, filled }));
}

async function begin(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: { planVersionId: string; interval: Interval },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const executed = await execute(deps, subscribe, actorOf(ctx), { partnerId, ...fields });
  const back = `${operatorPaths.PARTNER}${partnerId}/subscription`;
  await whenDone(ctx, executed, () =>
    redirect(ctx, back, 'Subscribed. The first period has started.'),
  );
}

async function showChange(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const offer = await readOffer(deps, param(ctx, 'partnerId'));
  const takesTwo = deps.config.approvals.isOn;
  render(ctx, changePlanPage(ctx, offer, { takesTwo, filled, at: new Date(deps.now()) }));
}

async function change(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  details: { planVersionId: string },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const before = await findActiveSubscription(deps, partnerId);
  const executed = await execute(deps, changePlan, actorOf(ctx), { partnerId, ...details });
  const back = `${operatorPaths.PARTNER}${partnerId}/subscription`;
  await whenDone(ctx, executed, ({ planVersionId, pendingPlanVersionId }) =>
    redirect(
      ctx,
      back,
      pendingPlanVersionId === null
        ? planVersionId === before?.planVersionId
          ? 'The plan stays as it is.'
          : 'Plan changed.'
        : 'The plan changes with the next period.',
    ),
  );
}

async function cancel(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const subscription = await findActiveSubscription(deps, partnerId);
  const back = `${operatorPaths.PARTNER}${partnerId}/subscription`;
  if (!subscription) return redirect(ctx, back, 'There is no subscription.', 'bad');
  await execute(deps, cancelSubscription, actorOf(ctx), { partnerId });
  redirect(ctx, back, 'Cancelled. It runs to the end of its period.');
}
