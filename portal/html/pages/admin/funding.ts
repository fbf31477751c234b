import type { LiveFunds, TestFunds, Wallet } from '../../../../models/views/funding.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { code, facts, section } from '../../components.ts';
import { checkbox, field, form, hidden } from '../../form.ts';
import { money, number } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { crumbsOfPartner, operatorPaths } from '../../links.ts';
import { type Page, page } from '../../view.ts';

export function topUpPage(
  ctx: PageContext<'operator'>,
  { partner, wallet }: LiveFunds,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    { title: 'Top up', crumbs: crumbsOfPartner(partner), mode: 'LIVE' },
    section('Balance', walletFacts(wallet, partner.currency)),
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

export function anyIntegrationPage(
  ctx: PageContext<'operator'>,
  { integration, partner, wallet }: TestFunds,
  filled: Filled,
): Page {
  const { _id: integrationId } = integration;
  return page(
    {
      title: integration.name,
      crumbs: crumbsOfPartner(partner),
      lead: code(integrationId, { canCopy: true }),
      mode: 'TEST',
    },
    section(
      'Test funding',
      html`<p class="muted">A separate balance, not real money. Without any, every TEST reward counts as funded.</p>`,
      walletFacts(wallet, partner.currency),
    ),
    hasPermission(ctx.state.viewer, 'integration.test-funding')
      ? section(
          'Grant test funding',
          form(
            ctx,
            {
              action: `${operatorPaths.INTEGRATION}${integrationId}/test-funding`,
              filled,
              submit: 'Grant',
            },
            topUpFields(filled, partner.currency),
          ),
        )
      : nothing,
  );
}

function walletFacts(wallet: Wallet, currency: string): Html {
  return facts([
    ['Free', money(wallet.fundingCents, currency)],
    ['Reserved for rewards', money(wallet.reservedCents, currency)],
    ['Rewards waiting for funds', number(wallet.awaitingRewards)],
    ['Shortfall', money(wallet.awaitingCents, currency)],
  ]);
}

const topUpFields = (filled: Filled, currency: string) => [
  field({
    name: 'amount',
    label: 'Amount',
    filled,
    isRequired: true,
    inputmode: 'decimal',
    hint: `${currency}, for example 250.00.`,
  }),
  field({
    name: 'reference',
    label: 'Reference',
    filled,
    isRequired: true,
    maxLength: 160,
    hint: 'The external reference, such as the bank’s. Each reference is booked only once.',
  }),
];
