import Joi from 'joi';
import { pageSchema } from '../../../http/query.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import {
  addTestFunding,
  maxTopUpCents,
  type TopUpMoney,
  topUp as topUpWallet,
} from '../../../operations/wallets.ts';
import { readFunds, readTransaction, readTransactions } from '../../../views/funding.ts';
import { moneyText } from '../../components/format.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { moneyField, referenceField } from '../../forms/fields.ts';
import { emptyForm, type Filled, type Problems } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { orNotFound } from '../../middleware/form.ts';
import { actorOf, whenDone } from '../../operate.ts';
import {
  ledgerFilters,
  ledgerPage,
  testFundingPage,
  topUpPage,
  transactionPage,
} from '../../pages/admin/money.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const testFundingSchema = Joi.object<{ amount: number; reference: string }>({
  amount: moneyField('cents', { max: maxTopUpCents, min: 1 }).required(),
  reference: referenceField.required(),
});

const topUpSchema = Joi.object<TopUpForm>({
  amount: moneyField('cents', { max: maxTopUpCents, min: 1 }).required(),
  reference: referenceField.required(),
  currency: Joi.string().max(3).required(),
  isChecked: Joi.string().valid('on'),
});

const toTopUp = ({ amount, reference }: { amount: number; reference: string }): TopUpMoney => ({
  amountCents: amount,
  externalReference: reference,
});

interface GrantForm {
  amount: number;
  reference: string;
}
interface TopUpForm extends GrantForm {
  currency: string;
  /** Present if no second operator has to approve. */
  isChecked?: 'on';
}
const toppingUp = {
  path: '/admin/partners/:partnerId/top-up',
  params: { partnerId: 'partner' },
  audience: 'operator',
  permission: 'partner.top-up',
  secondFactor: true,
} as const;
const ofTestFunding = {
  path: '/admin/partners/:partnerId/test-funding',
  params: { partnerId: 'partner' },
  audience: 'operator',
} as const;

/** A partner’s LIVE funds, and its test funding. */
export function operatorFundingPages(routes: Routes): void {
  routes.page(toppingUp, showTopUp);
  routes.action(toppingUp, {
    schema: topUpSchema,
    check: requireConfirmation,
    act: topUp,
    retry: showTopUp,
  });
  routes.page({ ...ofTestFunding, permission: 'read' }, showTestFunding);
  routes.action(
    { ...ofTestFunding, permission: 'test-funding.add' },
    { schema: testFundingSchema, act: grant, retry: showTestFunding },
  );
}

async function showTopUp(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const funds = await readFunds(deps, param(ctx, 'partnerId'));
  const isForTwo = needsApproval(deps.config, topUpWallet, {});
  render(ctx, topUpPage(ctx, funds, { needsApproval: isForTwo, filled }));
}

/** Without a second operator, the first one must confirm that they checked the amount. */
const requireConfirmation = (
  _ctx: PageContext<'operator'>,
  { config }: PageDeps,
  { isChecked }: Partial<TopUpForm>,
): Problems =>
  isChecked === undefined && !needsApproval(config, topUpWallet, {})
    ? { isChecked: 'Confirm that you have checked it: nobody else will.' }
    : {};

async function topUp(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { currency, isChecked: _, ...fields }: TopUpForm,
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const input = { partnerId, currency, ...toTopUp(fields) };
  const executed = await execute(deps, topUpWallet, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ entry, isNew }) =>
    redirect(
      ctx,
      operatorPaths.PARTNER + partnerId,
      isNew
        ? `${moneyText(fields.amount, currency)} credited.`
        : `This reference was already used for ${entry._id}: nothing was booked.`,
    ),
  );
}

async function showTestFunding(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const funds = await readFunds(deps, param(ctx, 'partnerId'));
  render(ctx, testFundingPage(ctx, funds, filled));
}

async function grant(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: GrantForm,
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const input = { partnerId, ...toTopUp(fields) };
  await execute(deps, addTestFunding, actorOf(ctx), input);
  redirect(ctx, `${operatorPaths.PARTNER}${partnerId}/test-funding`, 'Test funding granted.');
}

const reading = { audience: 'operator', permission: 'read' } as const;

/** The transactions of all wallets. */
export function operatorLedgerPages(routes: Routes): void {
  routes.page({ ...reading, path: '/admin/ledger' }, showLedger);
  routes.page(
    {
      ...reading,
      path: '/admin/ledger/:transactionId',
      params: { transactionId: 'transaction' },
    },
    showTransaction,
  );
}

async function showLedger(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, ledgerFilters);
  const transactions = await readTransactions(deps, list.filter, queryOf(ctx, pageSchema));
  await nameIds(
    ctx,
    deps,
    transactions.items.map(({ rewardId }) => rewardId),
  );
  render(ctx, ledgerPage(ctx, list, transactions));
}

async function showTransaction(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const transaction = orNotFound(await readTransaction(deps, param(ctx, 'transactionId')));
  await nameIds(ctx, deps, [transaction.entry.rewardId]);
  render(ctx, transactionPage(ctx, transaction));
}
