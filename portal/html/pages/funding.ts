import { liveAccounts } from '../../../domain/accounts.ts';
import { verifiedContact } from '../../../domain/partner-contact.ts';
import type { EntryDoc } from '../../../models/schemas/entry.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { FundingOverview } from '../../../models/views/funding.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { wordsOfEntry } from '../../words/entry-words.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { code, emptyState, facts, linkButton, notice, section, table } from '../components.ts';
import { field, form } from '../form.ts';
import { money, moneyText, time } from '../format.ts';
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
  const { partner } = viewer;
  const { currency } = partner;
  return page(
    { title: say('funding.title'), lead: say('funding.lead'), isLiveOnly: true },
    fundingNotice(funding, partner),
    figures(funding, currency),
    html`<div class="grid-2">${topUpSection(partner)}${lowBalanceSection(partner, {
      contact: contactOf(ctx),
      mayChange: hasPermission(viewer, 'partner.update'),
    })}</div>`,
    movementsSection(entries, currency),
    testFundingSection(test, {
      currency,
      mayAdd: hasPermission(viewer, 'integration.test-funding'),
    }),
  );
}

function fundingNotice(
  { fundingCents, awaitingRewards, awaitingCents }: FundingOverview['funding'],
  { currency, lowBalanceThresholdCents }: PartnerDoc,
): Html {
  if (awaitingRewards > 0) {
    return notice(
      'bad',
      say('funding.notice', {
        strong: tags.strong,
        n: tags.number,
        awaitingRewards,
        missing: money(awaitingCents - fundingCents, currency),
      }),
    );
  }
  if (fundingCents >= lowBalanceThresholdCents) return nothing;
  const lowBalanceThreshold = moneyText(lowBalanceThresholdCents, currency);
  return notice('warn', say('funding.notice.fundingBelow', { lowBalanceThreshold }));
}

function figures(funding: FundingOverview['funding'], currency: string): Html {
  return metrics([
    fundingMetric(funding, currency),
    {
      name: say('funding.reserved'),
      value: moneyText(funding.reservedCents, currency),
      note: say('funding.note'),
    },
    {
      name: say('funding.owedToCustomers'),
      value: moneyText(funding.owedCents, currency),
      note: say('funding.note.pointsSpent'),
    },
  ]);
}

function topUpSection({ _id, currency, goLive, goLiveMinimumFundingCents }: PartnerDoc): Html {
  const minimum = moneyText(Math.max(1, goLiveMinimumFundingCents), currency);
  return section(
    say('funding.section.topUp'),
    html`<ol class="steps"><li>${say('funding.item', { currency })}</li>
<li>${say('funding.item.writeReference')}<br>${code(_id, { canCopy: true })}</li>
<li>${say('funding.item.operatorBooks')}</li></ol>`,
    goLive.state === 'LIVE'
      ? nothing
      : html`<p class="muted after">${say('funding.goLive', { minimum })}</p>
${linkButton('/go-live', say('funding.goLiveChecklist'), 'secondary')}`,
  );
}

function lowBalanceSection(
  { currency, lowBalanceThresholdCents }: PartnerDoc,
  { contact, mayChange }: { contact: Part; mayChange: boolean },
): Html {
  return section(
    say('funding.section.lowBalance'),
    facts([
      [
        say('funding.threshold'),
        lowBalanceThresholdCents === 0
          ? html`<span class="muted">${say('funding.none')}</span>`
          : money(lowBalanceThresholdCents, currency),
      ],
      [say('funding.emailGoesTo'), contact],
    ]),
    html`<p class="muted after">${say('funding.whenReward')}</p>`,
    mayChange
      ? linkButton('/funding/threshold', say('funding.changeTheThreshold'), 'secondary')
      : nothing,
  );
}

function movementsSection(entries: FundingOverview['entries'], currency: string): Html {
  return section(
    say('funding.section.newestMovements'),
    table({
      caption: say('funding.caption'),
      columns: [
        { heading: say('common.when'), cell: ({ at }) => time(at) },
        { heading: say('common.what'), cell: ({ kind }) => wordsOfEntry(kind) },
        {
          heading: say('common.for'),
          cell: ({ rewardId, _id }) => (rewardId ? idLink(rewardId) : code(_id)),
        },
        {
          heading: say('common.amount'),
          cell: (entry) => signed(fundingIn(entry).amount, currency),
          isNumber: true,
        },
        {
          heading: say('funding.freeAfterIt'),
          cell: (entry) => money(fundingIn(entry).balanceAfter, currency),
          isNumber: true,
        },
      ],
      rows: entries,
      empty: emptyState(say('funding.empty.title'), say('funding.empty.text')),
    }),
  );
}

function testFundingSection(
  integrations: FundingOverview['test'],
  { currency, mayAdd }: { currency: string; mayAdd: boolean },
): Html {
  return section(
    say('funding.section.testFunding'),
    html`<p class="muted">${say('funding.realMoney')}</p>`,
    table({
      caption: say('funding.caption.testFunding'),
      columns: [
        {
          heading: say('common.integration'),
          cell: ({ _id, name }) => html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
        },
        {
          heading: say('common.free'),
          cell: ({ freeCents }) =>
            freeCents === null
              ? html`<span class="muted">${say('funding.noneAdded')}</span>`
              : money(freeCents, currency),
          isNumber: true,
        },
        {
          heading: '',
          cell: ({ _id }) =>
            mayAdd
              ? html`<a href="/integrations/${_id}/test-funding">${say('funding.add')}</a>`
              : nothing,
        },
      ],
      rows: integrations,
      empty: emptyState(
        say('funding.empty.title.integrationYet'),
        say('funding.empty.text.testFunding'),
        linkButton('/integrations', say('funding.viewIntegrations'), 'secondary'),
      ),
    }),
  );
}

/** Where notices go: the contact, or a hint if it is missing or not verified. */
function contactOf(ctx: PageContext<'partner'>): Part {
  const { partner } = ctx.state.viewer;
  if (partner.contactEmail === null) {
    return html`<span class="muted">${say('funding.noContact')}</span> ${linkIfOpen(ctx, '/profile/edit', say('funding.enterAContact'))}`;
  }
  if (verifiedContact(partner) !== null) return partner.contactEmail;
  return html`<span class="muted">${say('funding.whoIsMailed.text', { contactEmail: partner.contactEmail })}</span> ${linkIfOpen(ctx, '/profile/contact-email', say('funding.verifyIt'))}`;
}

export function thresholdPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  const { currency, contactEmail } = ctx.state.viewer.partner;
  return page(
    {
      title: say('funding.threshold.title'),
      crumbs: [[say('funding.funding'), '/funding']],
      isLiveOnly: true,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/funding/threshold', submit: say('funding.threshold.submit'), filled },
      field({
        name: 'threshold',
        label: say('funding.threshold.threshold', { currency }),
        filled,
        isRequired: true,
        inputmode: 'decimal',
        maxLength: 20,
        autocomplete: 'off',
        hint:
          contactEmail === null
            ? say('funding.threshold.hint.noContact')
            : say('funding.threshold.hint', { contactEmail }),
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
