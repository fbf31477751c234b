import Joi from 'joi';
import { readTestFunding } from '../../models/views/integrations.ts';
import { execute } from '../../operations/execute.ts';
import { addTestFunding, maxTestFundingCents } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { moneyField } from '../forms/money-field.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { moneyText } from '../html/format.ts';
import { testFundingPage } from '../html/pages/test-funding.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

/** Identifies the form, so that submitting it twice adds the amount once. */
const referencePattern = /^req_[0-9A-Z]{26}$/;

interface TestFundingForm {
  amount: number;
  reference: string;
}
const schema = Joi.object<TestFundingForm>({
  amount: moneyField('cents', { min: 0.01, max: maxTestFundingCents / 100 }).required(),
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
  routes.action(funding, { schema, act: addFunding, retry: showTestFunding });
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
