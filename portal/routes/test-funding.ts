import Joi from 'joi';
import { addTestFunding, maxTestFundingCents } from '../../models/commands/add-test-funding.ts';
import { depositDeed } from '../../models/commands/deposit.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { newId } from '../../platform/ids.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { type Filled, filledWith } from '../forms.ts';
import { facts } from '../html/components.ts';
import { field, form, hidden } from '../html/form.ts';
import { money, moneyText } from '../html/format.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import { moneyField } from '../money-field.ts';
import type { Routes } from '../route-table.ts';
import { findOwnIntegration } from './integrations.ts';

/** What names the form that was sent: sent twice, it adds once. */
const referencePattern = /^req_[0-9A-Z]{26}$/;

const schema = Joi.object<{ amount: number; reference: string }>({
  amount: moneyField('cents', { min: 0.01, max: maxTestFundingCents / 100 }).required(),
  reference: Joi.string().pattern(referencePattern).required(),
});

/** Funds for an integration's TEST rewards, which are nobody's money. */
export function testFundingPages(routes: Routes, deps: PortalDeps): void {
  const { models, ledger, messenger } = deps;

  async function show(
    ctx: PageContext<'partner'>,
    filled: Filled = filledWith({ reference: newId('request', deps.now()) }),
  ) {
    const { _id: partnerId, currency } = ctx.state.viewer.partner;
    const integration = await findOwnIntegration(models, partnerId, param(ctx, 'integrationId'));
    const { _id: integrationId, name } = integration;
    const wallet = { mode: 'TEST', partnerId, integrationId } as const;
    const { fundingCents, reservedCents } = await walletBalances(ledger, wallet);
    const path = `/integrations/${integrationId}`;
    view(
      ctx,
      {
        title: 'Add test funding',
        crumbs: [
          ['Integrations', '/integrations'],
          [name, path],
        ],
        lead: 'It stands behind TEST rewards of this integration alone. No real money moves, now or later.',
        mode: 'TEST',
      },
      html`<div class="card narrow">${facts([
        ['Free now', money(fundingCents, currency)],
        ['Reserved', money(reservedCents, currency)],
      ])}${form(
        ctx,
        { action: `${path}/test-funding`, submit: 'Add test funding', filled },
        hidden('reference', String(filled.values.reference ?? '')),
        field({
          ...{ name: 'amount', label: `Amount in ${currency}`, filled, isRequired: true },
          ...{ inputmode: 'decimal', maxLength: 20, autocomplete: 'off', placeholder: '100.00' },
          hint: `At most ${moneyText(maxTestFundingCents, currency)} may be free. Once there is any, rewards that find too little wait for more.`,
        }),
      )}</div>`,
    );
  }

  const funding = {
    path: '/integrations/:integrationId/test-funding',
    params: { integrationId: 'integration' },
    audience: 'partner',
    permission: 'integration.test-funding',
  } as const;
  routes.page(funding, (ctx) => show(ctx));
  routes.action(funding, {
    schema,
    async act(ctx, { amount: amountCents, reference: externalReference }) {
      const { _id: partnerId, currency } = ctx.state.viewer.partner;
      const { _id: integrationId } = await findOwnIntegration(
        models,
        partnerId,
        param(ctx, 'integrationId'),
      );
      const wallet = { mode: 'TEST', partnerId, integrationId } as const;
      const given = { amountCents, externalReference };
      await deed(deps, ctx, depositDeed(wallet, given), async () => {
        await addTestFunding(deps, wallet, given);
        await messenger.wakeWallet(wallet);
      });
      redirect(
        ctx,
        `/integrations/${integrationId}`,
        `${moneyText(amountCents, currency)} of test funding is added.`,
      );
    },
    retry: show,
  });
}
