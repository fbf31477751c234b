import Joi from 'joi';
import { utcDay } from '../../../http/query.ts';
import { execute } from '../../../operations/execute.ts';
import { correctTopUp, withdraw } from '../../../operations/funding.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../../operations/invoices.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import { maxTopUpCents } from '../../../operations/wallets.ts';
import { readPartnerInvoice } from '../../../views/billing.ts';
import { readFunds, readTransaction } from '../../../views/funding.ts';
import { scopeOf } from '../../../views/partner-scope.ts';
import { readStatement, statementCsv } from '../../../views/statement.ts';
import { moneyText } from '../../components/format.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { moneyField, reasonField, referenceField } from '../../forms/fields.ts';
import { statementDaysOf, statementSchema } from '../../forms/statement-query.ts';
import { emptyForm, type Filled, type Problems } from '../../forms/submit.ts';
import { notFound, orNotFound } from '../../middleware/form.ts';
import { actorOf, whenDone } from '../../operate.ts';
import {
  correctPage,
  partnerStatementPage,
  paymentPage,
  reversePage,
  voidPage,
  withdrawPage,
} from '../../pages/admin/money-out.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

interface MoneyForm {
  amount: number;
  reference: string;
  currency: string;
  /** Present if no second operator has to approve. */
  isChecked?: 'on';
}

const moneyFields = {
  amount: moneyField('cents', { max: maxTopUpCents, min: 1 }).required(),
  reference: referenceField.required(),
  currency: Joi.string().max(3).required(),
  isChecked: Joi.string().valid('on'),
};
const moneySchema = Joi.object<MoneyForm>(moneyFields);
const paymentSchema = Joi.object<MoneyForm & { paidOn: string }>({
  ...moneyFields,
  paidOn: utcDay.required().messages({ 'any.required': 'Enter the day.' }),
});
const reverseSchema = Joi.object<{ reference: string; reason: string }>({
  reference: referenceField.required(),
  reason: reasonField.required(),
});
const voidSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });

const params = { partnerId: 'partner' } as const;
const acting = { audience: 'operator', secondFactor: true } as const;
const withdrawing = {
  ...acting,
  path: '/admin/partners/:partnerId/withdraw',
  params,
  permission: 'partner.withdraw',
} as const;
const correcting = {
  ...acting,
  path: '/admin/ledger/:transactionId/correct',
  params: { transactionId: 'transaction' },
  permission: 'partner.correct-top-up',
} as const;
const invoicePath = '/admin/partners/:partnerId/invoices/:invoiceId';
const ofInvoice = { ...acting, params: { ...params, invoiceId: 'invoice' } } as const;
const paying = {
  ...ofInvoice,
  path: `${invoicePath}/payment`,
  permission: 'invoice.record-payment',
} as const;
const reversing = {
  ...ofInvoice,
  path: `${invoicePath}/reverse`,
  permission: 'invoice.reverse-payment',
} as const;
const voiding = { ...ofInvoice, path: `${invoicePath}/void`, permission: 'invoice.void' } as const;
const reading = { audience: 'operator', permission: 'read', params } as const;

/** Money that goes out again, payments of invoices, and a partner's statement of funding. */
export function operatorMoneyOutPages(routes: Routes): void {
  const check = requireConfirmation;
  routes.page(withdrawing, showWithdraw);
  routes.action(withdrawing, { schema: moneySchema, check, act: payBack, retry: showWithdraw });
  routes.page(correcting, showCorrect);
  routes.action(correcting, { schema: moneySchema, check, act: correct, retry: showCorrect });
  routes.page(paying, showPayment);
  routes.action(paying, { schema: paymentSchema, check, act: pay, retry: showPayment });
  routes.page(reversing, showReverse);
  routes.action(reversing, { schema: reverseSchema, act: reverse, retry: showReverse });
  routes.page(voiding, showVoid);
  routes.action(voiding, { schema: voidSchema, act: takeBack, retry: showVoid });
  routes.page({ ...reading, path: '/admin/partners/:partnerId/statement' }, showStatement);
  routes.page({ ...reading, path: '/admin/partners/:partnerId/statement.csv' }, downloadStatement);
}

/** Without a second operator, the first one must confirm that they checked the amount. */
const requireConfirmation = (
  _ctx: PageContext<'operator'>,
  { config }: PageDeps,
  { isChecked }: Partial<MoneyForm>,
): Problems =>
  isChecked === undefined && !needsApproval(config, withdraw, {})
    ? { isChecked: 'Confirm that you have checked it: nobody else will.' }
    : {};

async function showWithdraw(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const funds = await readFunds(deps, param(ctx, 'partnerId'));
  const isForTwo = needsApproval(deps.config, withdraw, {});
  render(ctx, withdrawPage(ctx, funds, { needsApproval: isForTwo, filled }));
}

async function payBack(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { amount: amountCents, reference: externalReference, currency }: MoneyForm,
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const input = { partnerId, amountCents, externalReference, currency };
  const executed = await execute(deps, withdraw, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ entry, isNew }) =>
    redirect(
      ctx,
      operatorPaths.PARTNER + partnerId,
      isNew
        ? `${moneyText(amountCents, currency)} paid back.`
        : `This reference was already used for ${entry._id}: nothing was booked.`,
    ),
  );
}

/** @throws ServiceError NOT_FOUND for anything but a LIVE top-up */
async function findTopUp(ctx: PageContext<'operator'>, deps: PageDeps) {
  const { entry } = orNotFound(await readTransaction(deps, param(ctx, 'transactionId')));
  if (entry.mode !== 'LIVE' || entry.kind !== 'TOP_UP') throw notFound();
  return entry;
}

async function showCorrect(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const topUp = await findTopUp(ctx, deps);
  const funds = await readFunds(deps, topUp.partnerId);
  const isForTwo = needsApproval(deps.config, correctTopUp, {});
  render(ctx, correctPage(ctx, funds, topUp, { needsApproval: isForTwo, filled }));
}

async function correct(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { amount: amountCents, reference: externalReference, currency }: MoneyForm,
): Promise<void> {
  const { _id: transactionId, partnerId } = await findTopUp(ctx, deps);
  const input = { partnerId, transactionId, amountCents, externalReference, currency };
  const executed = await execute(deps, correctTopUp, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ entry }) =>
    redirect(
      ctx,
      operatorPaths.TRANSACTION + entry._id,
      `${moneyText(amountCents, currency)} taken back.`,
    ),
  );
}

const findInvoice = (ctx: PageContext<'operator'>, deps: PageDeps) =>
  readPartnerInvoice(deps, param(ctx, 'partnerId'), param(ctx, 'invoiceId'));

const pathOfInvoice = (ctx: PageContext<'operator'>): string =>
  `${operatorPaths.PARTNER}${param(ctx, 'partnerId')}/invoices/${param(ctx, 'invoiceId')}`;

async function showPayment(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await findInvoice(ctx, deps);
  const isForTwo = needsApproval(deps.config, recordPayment, {});
  render(ctx, paymentPage(ctx, found, { needsApproval: isForTwo, filled }));
}

async function pay(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { amount: amountCents, isChecked: _, ...payment }: MoneyForm & { paidOn: string },
): Promise<void> {
  const ref = { partnerId: param(ctx, 'partnerId'), invoiceId: param(ctx, 'invoiceId') };
  const input = { ...ref, amountCents, ...payment };
  const executed = await execute(deps, recordPayment, actorOf(ctx), input);
  await whenDone(ctx, executed, () => redirect(ctx, pathOfInvoice(ctx), 'Payment recorded.'));
}

async function showReverse(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await findInvoice(ctx, deps);
  const isForTwo = needsApproval(deps.config, reversePayment, {});
  render(ctx, reversePage(ctx, found, { needsApproval: isForTwo, filled }));
}

async function reverse(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  reversal: { reference: string; reason: string },
): Promise<void> {
  const ref = { partnerId: param(ctx, 'partnerId'), invoiceId: param(ctx, 'invoiceId') };
  const executed = await execute(deps, reversePayment, actorOf(ctx), { ...ref, ...reversal });
  await whenDone(ctx, executed, () => redirect(ctx, pathOfInvoice(ctx), 'Payment reversed.'));
}

async function showVoid(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await findInvoice(ctx, deps);
  const isForTwo = needsApproval(deps.config, voidInvoice, {});
  render(ctx, voidPage(ctx, found, { needsApproval: isForTwo, filled }));
}

async function takeBack(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reason }: { reason: string },
): Promise<void> {
  const ref = { partnerId: param(ctx, 'partnerId'), invoiceId: param(ctx, 'invoiceId') };
  const executed = await execute(deps, voidInvoice, actorOf(ctx), { ...ref, reason });
  await whenDone(ctx, executed, () => redirect(ctx, pathOfInvoice(ctx), 'Invoice voided.'));
}

async function findStatement(ctx: PageContext<'operator'>, deps: PageDeps) {
  const { partner } = await readFunds(deps, param(ctx, 'partnerId'));
  const query = queryOf(ctx, statementSchema);
  return { partner, query, days: statementDaysOf(query, partner, deps.now()) };
}

async function showStatement(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { partner, query, days } = await findStatement(ctx, deps);
  const statement = await readStatement(deps, scopeOf(partner), days, query.after ?? null);
  render(ctx, partnerStatementPage(ctx, partner, statement, deps.now()));
}

async function downloadStatement(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { partner, days } = await findStatement(ctx, deps);
  const name = `funding-${partner._id}-${days.fromDay}-${days.toDay}`;
  const csv = await statementCsv(deps, scopeOf(partner), partner, days);
  ctx.set('Content-Disposition', `attachment; filename="${name}.csv"`);
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = csv;
}
