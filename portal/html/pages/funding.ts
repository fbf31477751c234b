import { liveAccounts } from '../../../domain/accounts.ts';
import { verifiedContact } from '../../../domain/partner-contact.ts';
import type { EntryDoc } from '../../../models/schemas/entry.ts';
import type { FundingOverview } from '../../../models/views/funding.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { entryWords } from '../../words/entry-words.ts';
import {
  code,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../components.ts';
import { field, form } from '../form.ts';
import { money, moneyText, number, time } from '../format.ts';
import { fundingMetric } from '../funding-metric.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { idLink } from '../id-link.ts';
import { metrics } from '../metrics.ts';
import { linkIfOpen } from '../onward-links.ts';
import { type Page, page } from '../view.ts';

export function fundingPage(
  ctx: PageContext<'partner'>,
  { funding, entries, test }: FundingOverview,
): Page {
  const { viewer } = ctx.state;
  const { currency, lowBalanceThresholdCents, _id: partnerId } = viewer.partner;
  const { fundingCents, reservedCents, owedCents, awaitingRewards, awaitingCents } = funding;
  const mayChange = hasPermission(viewer, 'partner.update');
  const isLow = fundingCents < lowBalanceThresholdCents;
  return page(
    {
      title: 'Funding',
      lead: 'Every LIVE reward is reserved from your funding when it is made, owed to the customer once claimed, and given back when it expires or is cancelled.',
      isLiveOnly: true,
    },
    awaitingRewards > 0
      ? notice(
          'bad',
          html`<strong>${number(awaitingRewards)} ${awaitingRewards === 1 ? 'reward waits' : 'rewards wait'} for funds.</strong> ${money(awaitingCents - fundingCents, currency)} more are needed. With the next top-up they are funded first come, first served.`,
        )
      : isLow
        ? notice(
            'warn',
            html`The funding is below your threshold of ${moneyText(lowBalanceThresholdCents, currency)}. Top up to keep rewards funded.`,
          )
        : nothing,
    metrics([
      fundingMetric(funding, currency),
      {
        name: 'Reserved',
        value: moneyText(reservedCents, currency),
        note: 'For rewards not claimed yet',
      },
      {
        name: 'Owed to customers',
        value: moneyText(owedCents, currency),
        note: 'For points not spent yet',
      },
    ]),
    html`<div class="grid-2">${section(
      'Top up',
      html`<ol class="steps"><li>Transfer ${currency} to the account named in your agreement.</li>
<li>Write this reference on the transfer, so that it finds its way to you:<br>${code(partnerId, { canCopy: true })}</li>
<li>An operator books it when it has arrived. It shows below, and rewards that wait are funded at once.</li></ol>`,
      viewer.partner.goLive.state === 'LIVE'
        ? nothing
        : html`<p class="muted after">Go-live needs at least ${moneyText(Math.max(1, viewer.partner.goLiveMinimumFundingCents), currency)} of funding. Once it has arrived, request go-live.</p>
${linkButton('/go-live', 'Go-live checklist', 'secondary')}`,
    )}${section(
      'Low balance',
      facts([
        [
          'Threshold',
          lowBalanceThresholdCents === 0
            ? html`<span class="muted">None</span>`
            : money(lowBalanceThresholdCents, currency),
        ],
        ['Email goes to', whoIsMailed(ctx)],
      ]),
      html`<p class="muted after">When a reward takes the funding below the threshold, we tell you, once.</p>`,
      mayChange ? linkButton('/funding/threshold', 'Change the threshold', 'secondary') : nothing,
    )}</div>`,
    section(
      'Newest movements',
      table({
        caption: 'Movements of the funding',
        columns: [
          { heading: 'When', cell: ({ at }) => time(at) },
          { heading: 'What', cell: ({ kind }) => entryWords[kind] ?? wordsOf(kind) },
          {
            heading: 'For',
            cell: ({ rewardId, _id }) => (rewardId ? idLink(rewardId) : code(_id)),
          },
          {
            heading: 'Amount',
            cell: (entry) => signed(fundingIn(entry).amount, currency),
            isNumber: true,
          },
          {
            heading: 'Free after it',
            cell: (entry) => money(fundingIn(entry).balanceAfter, currency),
            isNumber: true,
          },
        ],
        rows: entries,
        empty: emptyState('Nothing has moved yet', 'Your first top-up will appear here.'),
      }),
    ),
    section(
      'Test funding',
      html`<p class="muted">Not real money: use it to try in TEST what happens when funds run short. For an integration without any, every TEST reward counts as funded.</p>`,
      table({
        caption: 'Test funding',
        columns: [
          {
            heading: 'Integration',
            cell: ({ _id, name }) => html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
          },
          {
            heading: 'Free',
            cell: ({ freeCents }) =>
              freeCents === null
                ? html`<span class="muted">none added</span>`
                : money(freeCents, currency),
            isNumber: true,
          },
          {
            heading: '',
            cell: ({ _id }) =>
              hasPermission(viewer, 'integration.test-funding')
                ? html`<a href="/integrations/${_id}/test-funding">Add</a>`
                : nothing,
          },
        ],
        rows: test,
        empty: emptyState(
          'No integration yet',
          'Test funding belongs to an integration.',
          linkButton('/integrations', 'View integrations', 'secondary'),
        ),
      }),
    ),
  );
}

function whoIsMailed(ctx: PageContext<'partner'>): Part {
  const { partner } = ctx.state.viewer;
  if (partner.contactEmail === null) {
    return html`<span class="muted">No contact</span> ${linkIfOpen(ctx, '/profile/edit', 'Enter a contact')}`;
  }
  if (verifiedContact(partner) !== null) return partner.contactEmail;
  return html`<span class="muted">Nobody: ${partner.contactEmail} is not verified</span> ${linkIfOpen(ctx, '/profile/contact-email', 'Verify it')}`;
}

export function thresholdPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  const { currency, contactEmail } = ctx.state.viewer.partner;
  return page(
    { title: 'Low-balance threshold', crumbs: [['Funding', '/funding']], isLiveOnly: true },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/funding/threshold', submit: 'Save the threshold', filled },
      field({
        ...{ name: 'threshold', label: `Threshold in ${currency}`, filled, isRequired: true },
        ...{ inputmode: 'decimal', maxLength: 20, autocomplete: 'off' },
        hint: `When the funding falls below it, ${contactEmail ?? 'your contact, once the profile names one,'} gets a mail. 0 for none.`,
      }),
    )}</div>`,
  );
}

const fundingIn = ({ postings }: EntryDoc) =>
  postings.find(({ account }) => account === liveAccounts.funding) ?? {
    amount: 0,
    balanceAfter: 0,
  };

function signed(cents: number, currency: string): Html {
  return html`<span class="number ${cents > 0 ? 'plus' : ''}">${cents > 0 ? '+' : ''}${moneyText(cents, currency)}</span>`;
}
