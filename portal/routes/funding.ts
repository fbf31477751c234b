import Joi from 'joi';
import { paymentReferenceOf } from '../../domain/invoice.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { execute } from '../../operations/execute.ts';
import { updatePartner } from '../../operations/partners.ts';
import { addTestFunding, maxTestFundingCents, maxTopUpCents } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { readFundingOverview } from '../../views/funding.ts';
import { moneyText } from '../components/format.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { moneyField } from '../forms/fields.ts';
import type { Filled } from '../forms/submit.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { fundingPage, type HowToPay, howToPayPage } from '../pages/funding.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

const changing = {
  path: '/funding/threshold',
  audience: 'partner',
  permission: 'partner.update',
  secondFactor: 'LIVE',
} as const;
/** Adds test funding, which is not real money. */
const addingTest = {
  path: '/funding/test-funding',
  audience: 'partner',
  permission: 'test-funding.add',
} as const;
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
const schema = Joi.object<{ threshold: number }>({
  threshold: moneyField('cents', { max: maxTopUpCents }).required(),
});

/** The partner’s funding: balance, how long it lasts, and how to top up. */
export function fundingPages(routes: Routes): void {
  routes.page({ path: '/funding', audience: 'partner', permission: 'read' }, showFunding);
  routes.page({ path: '/funding/how-to-pay', audience: 'partner', permission: 'read' }, showHow);
  routes.action(changing, { schema, act: saveThreshold, retry: showFunding });
  routes.action(addingTest, { schema: testFundingSchema, act: addTest, retry: showFunding });
}

async function showFunding(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const overview = await readFundingOverview(deps, ownScope(ctx));
  const reference = newId('request', deps.now());
  await renderWithNext(ctx, deps, fundingPage(ctx, overview, { filled, reference }));
}

async function showHow(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner } = ctx.state.viewer;
  await renderWithNext(ctx, deps, howToPayPage(partner, howToPay(deps, partner)));
}

/** Where a partner transfers money to. */
export const howToPay = ({ config }: PageDeps, { _id }: PartnerDoc): HowToPay => ({
  details: config.issuer?.paymentDetails ?? null,
  reference: paymentReferenceOf(config.paymentReferencePrefix, _id),
});

async function saveThreshold(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { threshold: lowBalanceThresholdCents }: { threshold: number },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, updatePartner, actorOf(ctx), { partnerId, lowBalanceThresholdCents });
  redirect(ctx, '/funding', 'Threshold saved.');
}

async function addTest(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { amount: amountCents, reference: externalReference }: TestFundingForm,
): Promise<void> {
  const { _id: partnerId, currency } = ctx.state.viewer.partner;
  const input = { partnerId, amountCents, externalReference };
  await execute(deps, addTestFunding, actorOf(ctx), input);
  redirect(
    ctx,
    '/funding#test-funding',
    `${moneyText(amountCents, currency)} of test funding added.`,
  );
}
