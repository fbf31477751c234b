import Joi from 'joi';
import { owedCentsOf } from '../../domain/invoice.ts';
import { formatCents } from '../../domain/money.ts';
import { accounts } from '../../domain/postings.ts';
import { param } from '../../http/context.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { correctTopUp, withdraw } from '../../operations/funding.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import { utcDay } from '../../platform/validation.ts';
import { type PartnerInvoice, readPartnerInvoice } from '../../views/billing.ts';
import { type Funds, readFunds, readTransaction } from '../../views/funding.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readStatement, type Statement, statementCsv } from '../../views/statement.ts';
import { code, definitions, section } from '../components/components.ts';
import {
  amountField,
  checkbox,
  field,
  form,
  hidden,
  select,
  textArea,
} from '../components/form.ts';
import { type Html, html, money, moneyText, nothing, time } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths, to } from '../components/links.ts';
import { approvalNotice } from '../components/money.ts';
import { statementPart, subjectText } from '../components/statement.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField, referenceField } from '../forms/fields.ts';
import { type MoneyForm, moneyOf, moneySchema, requireConfirmation } from '../forms/money-form.ts';
import { statementDaysOf, statementPath, statementSchema } from '../forms/statement-query.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { notFound, orNotFound } from '../middleware/form.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { alreadyBooked } from '../words/ledger-words.ts';

interface PaymentForm extends MoneyForm {
  paidOn: string;
}

const invoice = '/admin/partners/:partnerId/invoices/:invoiceId';

/** Money that goes out again, payments of invoices, and a partner's statement of funding. */
export function operatorMoneyOutPages(routes: RoutesOf<'operator'>): void {
  const check = requireConfirmation;
  routes.operation('/admin/partners/:partnerId/withdraw', withdraw, {
    page: showWithdraw,
    form: moneySchema,
    check,
    input: moneyOf,
    to: '/admin/partners/:partnerId',
    said: ({ entry, isNew }, { amount, currency }) =>
      isNew ? `${moneyText(amount, currency)} paid back.` : alreadyBooked(entry),
  });
  routes.operation('/admin/ledger/:transactionId/correct', correctTopUp, {
    page: showCorrect,
    form: moneySchema,
    check,
    input: async (form, ctx, deps) => ({
      ...moneyOf(form),
      partnerId: (await findTopUp(ctx, deps)).partnerId,
    }),
    to: ({ entry }) => operatorPaths.TRANSACTION + entry._id,
    said: (_made, { amount, currency }) => `${moneyText(amount, currency)} taken back.`,
  });
  routes.operation(`${invoice}/payment`, recordPayment, {
    page: showPayment,
    form: moneySchema.append<PaymentForm>({
      paidOn: utcDay.required().messages({ 'any.required': 'Enter the day.' }),
    }),
    check,
    input: ({ amount: amountCents, ...payment }) => ({ amountCents, ...payment }),
    to: invoice,
    said: 'Payment recorded.',
  });
  routes.operation(`${invoice}/reverse`, reversePayment, {
    page: showReverse,
    form: Joi.object({ reference: referenceField.required(), reason: reasonField.required() }),
    to: invoice,
    said: 'Payment reversed.',
  });
  routes.operation(`${invoice}/void`, voidInvoice, {
    page: showVoid,
    form: Joi.object({ reason: reasonField.required() }),
    to: invoice,
    said: 'Invoice voided.',
  });
  routes.page('/admin/partners/:partnerId/statement', showStatement);
  routes.page('/admin/partners/:partnerId/statement.csv', downloadStatement);
}

async function showWithdraw(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const funds = await readFunds(deps, param(ctx, 'partnerId'));
  const isForTwo = needsApproval(deps.config, withdraw, {});
  render(ctx, withdrawPage(ctx, funds, { needsApproval: isForTwo, filled }));
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

const findInvoice = (ctx: PageContext<'operator'>, deps: PageDeps) =>
  readPartnerInvoice(deps, param(ctx, 'partnerId'), param(ctx, 'invoiceId'));

async function showPayment(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await findInvoice(ctx, deps);
  const isForTwo = needsApproval(deps.config, recordPayment, {});
  render(ctx, paymentPage(ctx, found, { needsApproval: isForTwo, filled }));
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

async function showVoid(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await findInvoice(ctx, deps);
  const isForTwo = needsApproval(deps.config, voidInvoice, {});
  render(ctx, voidPage(ctx, found, { needsApproval: isForTwo, filled }));
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

interface FormState {
  needsApproval: boolean;
  filled: Filled;
}

function withdrawPage(
  ctx: PageContext<'operator'>,
  { partner, live }: Funds,
  state: FormState,
): Page {
  const { currency } = partner;
  return page(
    {
      title: 'Pay funding back',
      crumbs: crumbsOfPartner(partner),
      lead: 'Unused funding goes back to the partner: what is neither reserved for rewards nor owed to customers.',
      mode: 'LIVE',
    },
    section(
      'Balance',
      definitions([
        ['Available', money(live.fundingCents, currency)],
        ['Reserved for rewards', money(live.reservedCents, currency)],
      ]),
    ),
    moneyForm(ctx, partner, state, {
      submit: 'Pay back',
      checked: 'I have checked the amount and the reference against the transfer.',
    }),
  );
}

function correctPage(
  ctx: PageContext<'operator'>,
  { partner, live }: Funds,
  topUp: EntryDoc,
  state: FormState,
): Page {
  const { currency } = partner;
  const cents = topUp.postings.find(({ account }) => account === accounts.funding)?.amount ?? 0;
  return page(
    {
      title: 'Correct a top-up',
      crumbs: [...crumbsOfPartner(partner), ['Top-up', operatorPaths.TRANSACTION + topUp._id]],
      lead: 'It takes back what was booked by mistake, by a transaction that names the top-up. The top-up stays as it is.',
      mode: 'LIVE',
    },
    section(
      'Top-up',
      definitions([
        ['Amount', money(cents, currency)],
        ['Booked', time(topUp.at)],
        ['Reference', code(topUp.reference.replace(/^topUp:/, ''))],
        ['Available now', money(live.fundingCents, currency)],
      ]),
    ),
    moneyForm(ctx, partner, state, {
      submit: 'Correct',
      checked: 'I have checked the amount against the bank statement.',
    }),
  );
}

function moneyForm(
  ctx: PageContext<'operator'>,
  { currency }: Pick<PartnerDoc, 'currency'>,
  { needsApproval, filled }: FormState,
  { submit, checked }: { submit: string; checked: string },
): Html {
  return html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
    ctx,
    { action: ctx.path, submit, filled },
    // Sent along, so that no amount is booked in another currency than the one shown.
    hidden('currency', currency),
    amountField({ ...amount, filled, currency }),
    referenceFieldOf(filled),
    needsApproval
      ? nothing
      : checkbox({ name: 'isChecked', filled, isRequired: true, label: checked }),
  )}</div>`;
}

const amount = { name: 'amount', label: 'Amount', isRequired: true } as const;

const referenceFieldOf = (filled: Filled): Html =>
  field({
    name: 'reference',
    label: 'Reference',
    filled,
    isRequired: true,
    maxLength: 160,
    hint: 'The bank’s reference. Each is booked only once.',
  });

const crumbsOfInvoice = ({ partner, invoice }: PartnerInvoice) =>
  [
    ...crumbsOfPartner(partner),
    ['Subscription', `${operatorPaths.PARTNER}${partner._id}/subscription`],
    [`Invoice ${invoice.number}`, `${operatorPaths.PARTNER}${partner._id}/invoices/${invoice._id}`],
  ] as const;

function paymentPage(
  ctx: PageContext<'operator'>,
  found: PartnerInvoice,
  { needsApproval, filled }: FormState,
): Page {
  const { invoice } = found;
  const { currency } = invoice;
  const leftCents = owedCentsOf(invoice);
  const values = { amount: formatCents(leftCents, currency), ...filled.values };
  return page(
    { title: 'Record a payment', crumbs: crumbsOfInvoice(found) },
    section(
      'Invoice',
      definitions([
        ['Total', money(invoice.totalCents, currency)],
        ['Left to pay', money(leftCents, currency)],
        ['Reference of the transfer', code(invoice.paymentReference)],
      ]),
    ),
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: 'Record payment', filled },
      hidden('currency', currency),
      amountField({ ...amount, filled: { ...filled, values }, currency }),
      field({
        name: 'paidOn',
        label: 'Paid on',
        type: 'date',
        filled,
        isRequired: true,
        hint: 'The day on the bank statement.',
      }),
      referenceFieldOf(filled),
      needsApproval
        ? nothing
        : checkbox({
            name: 'isChecked',
            filled,
            isRequired: true,
            label: 'I have checked it against the bank statement.',
          }),
    )}</div>`,
  );
}

/** Payments that were not reversed. */
const standingPayments = ({ payments, reversals }: PartnerInvoice['invoice']) =>
  payments.filter(({ reference }) => !reversals.some((one) => one.reference === reference));

function reversePage(
  ctx: PageContext<'operator'>,
  found: PartnerInvoice,
  { needsApproval, filled }: FormState,
): Page {
  const { invoice } = found;
  return page(
    {
      title: 'Reverse a payment',
      crumbs: crumbsOfInvoice(found),
      lead: 'For a payment that was recorded and did not arrive: what it paid is due again. The payment stays on record, with the reversal that names it.',
    },
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: 'Reverse payment', filled, isDangerous: true },
      select({
        name: 'reference',
        label: 'Payment',
        filled,
        choices: standingPayments(invoice).map(({ reference, amountCents, paidOn }) => ({
          value: reference,
          text: `${moneyText(amountCents, invoice.currency)} on ${paidOn}: ${reference}`,
        })),
      }),
      textArea({
        name: 'reason',
        label: 'Reason',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: 'The partner reads it.',
      }),
    )}</div>`,
  );
}

function voidPage(
  ctx: PageContext<'operator'>,
  found: PartnerInvoice,
  { needsApproval, filled }: FormState,
): Page {
  const { invoice, partner } = found;
  return page(
    {
      title: `Void invoice ${invoice.number}`,
      crumbs: crumbsOfInvoice(found),
      lead: html`A credit note takes back all of ${money(invoice.totalCents, invoice.currency)}. ${partner.name} then owes nothing for it.`,
    },
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: 'Void invoice', filled, isDangerous: true },
      textArea({
        name: 'reason',
        label: 'Reason',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: 'The partner reads it on the credit note.',
      }),
    )}</div>`,
  );
}

function partnerStatementPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  statement: Statement,
  nowMs: number,
): Page {
  const path = `${operatorPaths.PARTNER}${partner._id}/statement`;
  return page(
    {
      title: 'Statement of funding',
      crumbs: crumbsOfPartner(partner),
      lead: 'As the partner sees it: every movement in its order, with the balance after it. Days are UTC.',
      mode: 'LIVE',
    },
    statementPart(ctx, statement, {
      currency: partner.currency,
      csvPath: statementPath(`${path}.csv`, statement),
      linkOf: (movement) => to('TRANSACTION', movement.transactionId, subjectText(movement)),
      nowMs,
    }),
  );
}
