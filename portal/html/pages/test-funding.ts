import type { TestFunding } from '../../../models/views/integrations.ts';
import { maxTestFundingCents } from '../../../operations/wallets.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { facts } from '../components.ts';
import { field, form, hidden } from '../form.ts';
import { money, moneyText } from '../format.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

export function testFundingPage(
  ctx: PageContext<'partner'>,
  { integration, balances }: TestFunding,
  filled: Filled,
): Page {
  const { currency } = ctx.state.viewer.partner;
  const { name, _id } = integration;
  const { fundingCents, reservedCents } = balances;
  const path = `/integrations/${_id}`;
  return page(
    {
      title: 'Add test funding',
      crumbs: [
        ['Integrations', '/integrations'],
        [name, path],
      ],
      lead: 'It funds only this integration’s TEST rewards. No real money moves.',
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
        name: 'amount',
        label: `Amount in ${currency}`,
        filled,
        isRequired: true,
        inputmode: 'decimal',
        maxLength: 20,
        autocomplete: 'off',
        placeholder: '100.00',
        hint: `Up to ${moneyText(maxTestFundingCents, currency)} can be free. Once you add any, rewards that it doesn’t cover wait for more.`,
      }),
    )}</div>`,
  );
}
