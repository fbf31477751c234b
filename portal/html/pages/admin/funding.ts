import type { LiveFunds, TestFunds, Wallet } from '../../../../models/views/wallets.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
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
    { title: say('admin.funding.topUp.title'), crumbs: crumbsOfPartner(partner), mode: 'LIVE' },
    section(say('admin.funding.section.balance'), walletFacts(wallet, partner.currency)),
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: say('admin.funding.topUp.submit'), filled },
      // Sent along, so that no amount is booked in another currency than the one shown.
      hidden('currency', partner.currency),
      topUpFields(filled, partner.currency),
      needsApproval
        ? nothing
        : checkbox({
            name: 'isChecked',
            filled,
            isRequired: true,
            label: say('admin.funding.isChecked'),
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
      say('admin.funding.section.testFunding'),
      html`<p class="muted">${say('admin.funding.anyIntegration.text')}</p>`,
      walletFacts(wallet, partner.currency),
    ),
    hasPermission(ctx.state.viewer, 'integration.test-funding')
      ? section(
          say('admin.funding.section.grantTestFunding'),
          form(
            ctx,
            {
              action: `${operatorPaths.INTEGRATION}${integrationId}/test-funding`,
              filled,
              submit: say('admin.funding.anyIntegration.submit'),
            },
            topUpFields(filled, partner.currency),
          ),
        )
      : nothing,
  );
}

function walletFacts(wallet: Wallet, currency: string): Html {
  return facts([
    [say('common.free'), money(wallet.fundingCents, currency)],
    [say('admin.funding.reservedForRewards'), money(wallet.reservedCents, currency)],
    [say('admin.funding.rewardsWaitFunds'), number(wallet.awaitingRewards)],
    [say('admin.funding.shortfall'), money(wallet.awaitingCents, currency)],
  ]);
}

const topUpFields = (filled: Filled, currency: string) => [
  field({
    name: 'amount',
    label: say('common.amount'),
    filled,
    isRequired: true,
    inputmode: 'decimal',
    hint: say('admin.funding.amount.hint', { currency }),
  }),
  field({
    name: 'reference',
    label: say('admin.funding.reference'),
    filled,
    isRequired: true,
    maxLength: 160,
    hint: say('admin.funding.reference.hint'),
  }),
];
