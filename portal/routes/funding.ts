import Joi from 'joi';
import { paymentReferenceOf } from '../../domain/invoice.ts';
import { formatCents } from '../../domain/money.ts';
import { readFundingOverview } from '../../models/views/funding.ts';
import { readTestFunding } from '../../models/views/integrations.ts';
import { execute } from '../../operations/execute.ts';
import { updatePartner } from '../../operations/partners.ts';
import { addTestFunding, maxTestFundingCents, maxTopUpCents } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { moneyText } from '../components/format.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { moneyField } from '../forms/fields.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { fundingPage, howToPayPage, testFundingPage } from '../pages/funding.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

const changing = {
  path: '/funding/threshold',
  audience: 'partner',
  permission: 'partner.update',
} as const;
const schema = Joi.object<{ threshold: number }>({
  threshold: moneyField('cents', { max: maxTopUpCents }).required(),
});

/** The partner’s funding: balance, how long it lasts, and how to top up. */
export function fundingPages(routes: Routes): void {
  routes.page({ path: '/funding', audience: 'partner', permission: 'read' }, showFunding);
  routes.page({ path: '/funding/how-to-pay', audience: 'partner', permission: 'read' }, showHow);
  routes.action(changing, { schema, act: saveThreshold, retry: showFunding });
}

async function showFunding(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  given?: Filled,
): Promise<void> {
  const { lowBalanceThresholdCents, currency } = ctx.state.viewer.partner;
  const stored = filledWith({ threshold: formatCents(lowBalanceThresholdCents, currency) });
  const overview = await readFundingOverview(deps, ownScope(ctx));
  await renderWithNext(ctx, deps, fundingPage(ctx, overview, given ?? stored));
}

async function showHow(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { issuer, paymentReferencePrefix } = deps.config;
  const { partner } = ctx.state.viewer;
  const howToPay = {
    details: issuer?.paymentDetails ?? null,
    reference: paymentReferenceOf(paymentReferencePrefix, partner._id),
  };
  await renderWithNext(ctx, deps, howToPayPage(partner, howToPay));
}

async function saveThreshold(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { threshold: lowBalanceThresholdCents }: { threshold: number },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, updatePartner, actorOf(ctx), { partnerId, lowBalanceThresholdCents });
  redirect(ctx, '/funding', 'Threshold saved.');
}

/** Identifies the form, so that submitting it twice adds the amount once. */
const referencePattern = /^req_[0-9A-Z]{26}$/;

interface TestFundingForm {
  amount: number;
  reference: string;
}
const testFundingSchema = Joi.object<TestFundingForm>({
  amount: moneyField('cents', { min: 1, max: maxTestFundingCents }).required(),
  reference: Joi.string().pattern(referencePattern).required(),
});
const funding = {
  path: '/integrations/:integrationId/test-funding',
  params: { integrationId: 'integration' },
  audience: 'partner',
  permission: 'integration.test-funding',
} as const;

/** Adds test funding, which is not real money, to an integration. */
export function testFundingPages(routes: Routes): void {
  routes.page(funding, showTestFunding);
  routes.action(funding, { schema: testFundingSchema, act: addFunding, retry: showTestFunding });
}

async function showTestFunding(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = filledWith({ reference: newId('request', deps.now()) }),
): Promise<void> {
  const found = await readTestFunding(deps, ownScope(ctx), param(ctx, 'integrationId'));
  render(ctx, testFundingPage(ctx, found, filled));
}

async function addFunding(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { amount: amountCents, reference: externalReference }: TestFundingForm,
): Promise<void> {
  const { currency } = ctx.state.viewer.partner;
  const integrationId = param(ctx, 'integrationId');
  const input = { integrationId, amountCents, externalReference };
  await execute(deps, addTestFunding, actorOf(ctx), input);
  redirect(
    ctx,
    `/integrations/${integrationId}`,
    `${moneyText(amountCents, currency)} of test funding added.`,
  );
}
