import type { TestFunding } from '../../../models/views/integrations.ts';
import { maxTestFundingCents } from '../../../operations/wallets/add-test-funding.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
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
      title: say('testFunding.title'),
      crumbs: [
        [say('testFunding.integrations'), '/integrations'],
        [name, path],
      ],
      lead: say('testFunding.lead'),
      mode: 'TEST',
    },
    html`<div class="card narrow">${facts([
      [say('testFunding.freeNow'), money(fundingCents, currency)],
      [say('testFunding.reserved'), money(reservedCents, currency)],
    ])}${form(
      ctx,
      { action: `${path}/test-funding`, submit: say('testFunding.submit'), filled },
      hidden('reference', String(filled.values.reference ?? '')),
      field({
        name: 'amount',
        label: say('testFunding.amount', { currency }),
        filled,
        isRequired: true,
        inputmode: 'decimal',
        maxLength: 20,
        autocomplete: 'off',
        placeholder: '100.00',
        hint: say('testFunding.amount.hint', {
          maxTestFunding: moneyText(maxTestFundingCents, currency),
        }),
      }),
    )}</div>`,
  );
}
