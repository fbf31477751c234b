import Joi from 'joi';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { fundWallet } from '../../../deeds/fund-wallet.ts';
import type { WalletRef } from '../../../domain/events.ts';
import { needsTwo } from '../../../domain/four-eyes.ts';
import { type Deposit, depositDeed, maxDepositCents } from '../../../models/commands/deposit.ts';
import { findIntegration, findPartner } from '../../../models/commands/find.ts';
import { waitingIn, walletBalances } from '../../../models/ledger/index.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { referenceField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import { code, facts, section } from '../../html/components.ts';
import { field, form } from '../../html/form.ts';
import { money, moneyText, number } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, crumbsOfPartner } from '../../html/links.ts';
import { twoNotice } from '../../html/two-notice.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { moneyField } from '../../money-field.ts';
import type { Routes } from '../../route-table.ts';
import { undertake } from '../../undertake.ts';

const depositSchema = Joi.object<{ amount: number; reference: string }>({
  amount: moneyField('cents', { max: maxDepositCents / 100, min: 0.01 }).required(),
  reference: referenceField.required(),
});

const toDeposit = ({ amount, reference }: { amount: number; reference: string }): Deposit => ({
  amountCents: amount,
  externalReference: reference,
});

const depositFields = (filled: Filled, currency: string) => [
  field({
    ...{ name: 'amount', label: 'Amount', filled, isRequired: true, inputmode: 'decimal' },
    hint: `${currency}, such as 250.00.`,
  }),
  field({
    ...{ name: 'reference', label: 'Reference', filled, isRequired: true, maxLength: 160 },
    hint: 'What names it outside, such as the bank’s. The same reference moves nothing twice.',
  }),
];

/** Money that comes in: a partner's LIVE funds, and the test funding of an integration. */
export function adminFundingPages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, ledger, config } = deps;

  const toppingUp = {
    path: '/admin/partners/:partnerId/top-up',
    params: { partnerId: 'partner' },
    audience: 'operator',
    permission: 'partner.top-up',
    secondFactor: true,
  } as const;

  async function showTopUp(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    view(
      ctx,
      { title: 'Top up', crumbs: crumbsOfPartner(partner), mode: 'LIVE' },
      section('Where it stands', await standing({ mode: 'LIVE', partnerId: partner._id }, partner)),
      html`<div class="card narrow">${needsTwo(config.fourEyes, { action: 'partner.top-up' }) ? twoNotice : nothing}${form(
        ctx,
        { action: ctx.path, submit: 'Top up', filled },
        depositFields(filled, partner.currency),
      )}</div>`,
    );
  }

  routes.page(toppingUp, (ctx) => showTopUp(ctx));
  routes.action(toppingUp, {
    schema: depositSchema,
    async act(ctx, fields) {
      const { _id: partnerId, currency } = await findPartner(models, param(ctx, 'partnerId'));
      const asked = { wallet: { mode: 'LIVE', partnerId }, money: toDeposit(fields) } as const;
      await undertake(fourEyes, ctx, 'partner.top-up', asked, ({ entry, isNew }) =>
        redirect(
          ctx,
          adminPaths.PARTNER + partnerId,
          isNew
            ? `${moneyText(fields.amount, currency)} came in.`
            : `This reference came in before, as ${entry._id}: nothing moved.`,
        ),
      );
    },
    retry: showTopUp,
  });

  const ofIntegration = {
    path: '/admin/integrations/:integrationId',
    params: { integrationId: 'integration' },
    audience: 'operator',
  } as const;

  async function showIntegration(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const integration = await findIntegration(models, param(ctx, 'integrationId'));
    const { _id: integrationId, partnerId } = integration;
    const partner = await findPartner(models, partnerId);
    view(
      ctx,
      {
        title: integration.name,
        crumbs: crumbsOfPartner(partner),
        lead: code(integrationId, { canCopy: true }),
        mode: 'TEST',
      },
      section(
        'Test funding',
        html`<p class="muted">A number of its own, and nobody’s money. Without any, every TEST reward counts as funded.</p>`,
        await standing({ mode: 'TEST', partnerId, integrationId }, partner),
      ),
      hasPermission(ctx.state.viewer, 'integration.test-funding')
        ? section(
            'Grant test funding',
            form(
              ctx,
              {
                ...{ action: `${adminPaths.INTEGRATION}${integrationId}/test-funding`, filled },
                submit: 'Grant',
              },
              depositFields(filled, partner.currency),
            ),
          )
        : nothing,
    );
  }

  routes.page({ ...ofIntegration, permission: 'read' }, (ctx) => showIntegration(ctx));
  routes.action(
    {
      ...ofIntegration,
      path: '/admin/integrations/:integrationId/test-funding',
      permission: 'integration.test-funding',
    },
    {
      schema: depositSchema,
      async act(ctx, fields) {
        const { _id, partnerId } = await findIntegration(models, param(ctx, 'integrationId'));
        const wallet = { mode: 'TEST', partnerId, integrationId: _id } as const;
        const money = toDeposit(fields);
        await deed(deps, ctx, depositDeed(wallet, money), () => fundWallet(deps, wallet, money));
        redirect(ctx, adminPaths.INTEGRATION + _id, 'The test funding is granted.');
      },
      retry: showIntegration,
    },
  );

  async function standing(wallet: WalletRef, { currency }: PartnerDoc) {
    const [balances, waiting] = await Promise.all([
      walletBalances(ledger, wallet),
      waitingIn(models, wallet),
    ]);
    return facts([
      ['Free', money(balances.fundingCents, currency)],
      ['Reserved for rewards', money(balances.reservedCents, currency)],
      ['Rewards that wait for funds', number(waiting.awaitingRewards)],
      ['Missing for them', money(waiting.awaitingCents, currency)],
    ]);
  }
}
