import Joi from 'joi';
import { param } from '../../http/context.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import { addTestFunding, topUp } from '../../operations/wallets.ts';
import { type Funds, readFunds, type WalletView } from '../../views/funding.ts';
import { definitions, section } from '../components/components.ts';
import { amountField, checkbox, field, form, hidden } from '../components/form.ts';
import { type Html, html, money, moneyText, nothing, number } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths } from '../components/links.ts';
import { approvalNotice } from '../components/money.ts';
import { queueWords } from '../components/queue.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  type Money,
  moneyFields,
  moneyOf,
  moneySchema,
  requireConfirmation,
} from '../forms/money-form.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { alreadyBooked } from '../words/ledger-words.ts';

const partnerPath = '/admin/partners/:partnerId';
const { amount, reference } = moneyFields;

/** A partner’s LIVE funds, and its test funding. */
export function operatorFundingPages(routes: RoutesOf<'operator'>): void {
  routes.operation(`${partnerPath}/top-up`, topUp, {
    page: showTopUp,
    form: moneySchema,
    check: requireConfirmation,
    input: moneyOf,
    to: partnerPath,
    said: ({ entry, isNew }, { amount, currency }) =>
      isNew ? `${moneyText(amount, currency)} credited.` : alreadyBooked(entry),
  });
  routes.page(`${partnerPath}/test-funding`, showTestFunding);
  routes.operation(`${partnerPath}/test-funding`, addTestFunding, {
    on: showTestFunding,
    form: Joi.object<Money>({ amount, reference }),
    currency: async (ctx, deps) =>
      (await readFunds(deps, param(ctx, 'partnerId'))).partner.currency,
    input: moneyOf,
    to: `${partnerPath}/test-funding`,
    said: 'Test funding granted.',
  });
}

async function showTopUp(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const funds = await readFunds(deps, param(ctx, 'partnerId'));
  const isForTwo = needsApproval(deps.config, topUp, {});
  render(ctx, topUpPage(ctx, funds, { needsApproval: isForTwo, filled }));
}

async function showTestFunding(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const funds = await readFunds(deps, param(ctx, 'partnerId'));
  render(ctx, testFundingPage(ctx, funds, filled));
}

function topUpPage(
  ctx: PageContext<'operator'>,
  { partner, live }: Funds,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    { title: 'Top up', crumbs: crumbsOfPartner(partner), mode: 'LIVE' },
    section('Balance', walletFacts(live, partner.currency)),
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: 'Top up', filled },
      // Sent along, so that no amount is booked in another currency than the one shown.
      hidden('currency', partner.currency),
      topUpFields(filled, partner.currency),
      needsApproval
        ? nothing
        : checkbox({
            name: 'isChecked',
            filled,
            isRequired: true,
            label: 'I have checked the amount and the reference against the bank statement.',
          }),
    )}</div>`,
  );
}

function testFundingPage(
  ctx: PageContext<'operator'>,
  { partner, test }: Funds,
  filled: Filled,
): Page {
  return page(
    {
      title: 'Test funding',
      crumbs: crumbsOfPartner(partner),
      lead: 'A balance of its own, not real money. Until any is added, every TEST reward is funded.',
      mode: 'TEST',
    },
    section('Balance', walletFacts(test, partner.currency)),
    hasPermission(ctx.state.viewer, 'test-funding.add')
      ? section(
          'Grant test funding',
          form(
            ctx,
            { action: ctx.path, filled, submit: 'Grant' },
            topUpFields(filled, partner.currency),
          ),
        )
      : nothing,
  );
}

function walletFacts(wallet: WalletView, currency: string): Html {
  return definitions([
    ['Available', wallet.isUnlimited ? 'no limit' : money(wallet.fundingCents, currency)],
    ['Reserved for rewards', money(wallet.reservedCents, currency)],
    ['Rewards waiting for funds', number(wallet.awaitingRewards)],
    [
      'Missing for all of them',
      html`${money(wallet.missingCents, currency)}${wallet.queue === null ? nothing : html`.${queueWords(wallet.queue, { currency, pathOf: (id) => operatorPaths.REWARD + id })}`}`,
    ],
  ]);
}

const topUpFields = (filled: Filled, currency: string) => [
  amountField({ name: 'amount', label: 'Amount', filled, isRequired: true, currency }),
  field({
    name: 'reference',
    label: 'Reference',
    filled,
    isRequired: true,
    maxLength: 160,
    hint: 'The external reference, such as the bank’s. Each reference is booked only once.',
  }),
];
