import { verifiedContact } from '../../domain/customer.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { FundingOverview } from '../../models/views/funding.ts';
import {
  code,
  emptyState,
  facts,
  linkButton,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { amountField, formBehind } from '../components/form.ts';
import {
  type Html,
  html,
  money,
  moneyText,
  nothing,
  numberText,
  type Part,
  time,
} from '../components/format.ts';
import { fundingMetric } from '../components/funding-metric.ts';
import { idLink } from '../components/links.ts';
import { signed, subjectText } from '../components/statement.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { wordsOfEntry } from '../words/entry-words.ts';

export function fundingPage(
  ctx: PageContext<'partner'>,
  { funding, movements, test }: FundingOverview,
  filled: Filled,
): Page {
  const { viewer } = ctx.state;
  const { partner } = viewer;
  const { currency } = partner;
  return page(
    {
      title: 'Balance',
      actions: linkButton('/funding/how-to-pay', 'Top up'),
      lead: 'Every LIVE reward is reserved from your funding when it is created, owed to the customer once claimed, and returned when it expires or is cancelled.',
      isLiveOnly: true,
    },
    fundingNotice(funding, partner),
    figures(funding, currency),
    movementsSection(ctx, movements, currency),
    lowBalanceSection(ctx, filled),
    testFundingSection(test, currency),
  );
}

function fundingNotice(
  { fundingCents, awaitingRewards, awaitingCents }: FundingOverview['funding'],
  { currency, lowBalanceThresholdCents }: PartnerDoc,
): Html {
  if (awaitingRewards > 0) {
    return notice(
      'bad',
      html`<strong>${awaitingRewards === 1 ? html`<span class="number">${numberText(awaitingRewards)}</span> reward is` : html`<span class="number">${numberText(awaitingRewards)}</span> rewards are`} waiting for funds.</strong> ${money(awaitingCents - fundingCents, currency)} more is needed. The next top-up funds them, first come, first served.`,
    );
  }
  if (fundingCents >= lowBalanceThresholdCents) return nothing;
  const lowBalanceThreshold = moneyText(lowBalanceThresholdCents, currency);
  return notice(
    'warn',
    `The funding is below your threshold of ${lowBalanceThreshold}. Top up to keep rewards funded.`,
  );
}

function figures(funding: FundingOverview['funding'], currency: string): Html {
  return metrics([
    fundingMetric(funding, currency),
    {
      name: 'Reserved',
      value: moneyText(funding.reservedCents, currency),
      note: 'For rewards not claimed yet',
    },
    {
      name: 'Owed to customers',
      value: moneyText(funding.owedCents, currency),
      note: 'For points not spent yet',
    },
  ]);
}

/** Where partners transfer money to, and what a top-up has to name. */
export interface HowToPay {
  /** One entry per line; null if the installation names no bank account. */
  details: string | null;
  reference: string;
}

export function howToPayPage(partner: PartnerDoc, howToPay: HowToPay): Page {
  return page(
    {
      title: 'How to pay',
      lead: 'How to top up your funding.',
      isLiveOnly: true,
    },
    html`<section class="card">${howToPaySteps(partner, howToPay)}</section>`,
  );
}

/** How to top up, step by step. */
export function howToPaySteps(
  { currency, goLive, goLiveMinimumFundingCents }: PartnerDoc,
  { details, reference }: HowToPay,
): Html {
  const minimum = moneyText(Math.max(1, goLiveMinimumFundingCents), currency);
  return html`<ol class="steps"><li>Transfer ${currency} to ${
    details === null
      ? 'the bank account named in your agreement.'
      : html`this account:${details.split('\n').map((line) => html`<br>${line}`)}`
  }</li>
<li>Use this reference, so that we can match the transfer to your account:<br>${code(reference, { canCopy: true })}</li>
<li>An operator books it when it arrives. It appears in your balance, and waiting rewards are funded at once.</li></ol>${
    goLive.state === 'LIVE'
      ? nothing
      : html`<p class="muted after">Go-live requires at least ${minimum} of funding. Once it has arrived, request go-live.</p>`
  }`;
}

function lowBalanceSection(ctx: PageContext<'partner'>, filled: Filled): Html {
  const { viewer } = ctx.state;
  const { currency, lowBalanceThresholdCents } = viewer.partner;
  return section(
    'Low balance',
    facts([
      [
        'Low-balance threshold',
        lowBalanceThresholdCents === 0
          ? html`<span class="muted">None</span>`
          : money(lowBalanceThresholdCents, currency),
      ],
      ['Notices go to', contactOf(ctx)],
    ]),
    html`<p class="muted after">You are notified once when a reward takes the funding below the threshold.</p>`,
    hasPermission(viewer, 'partner.update')
      ? formBehind(
          ctx,
          {
            ask: 'Change threshold',
            action: '/funding/threshold',
            submit: 'Save threshold',
            filled,
          },
          amountField({
            name: 'threshold',
            label: `Threshold in ${currency}`,
            filled,
            isRequired: true,
            currency,
            hint: 'Enter 0 to turn notices off.',
          }),
        )
      : nothing,
  );
}

function movementsSection(
  { state: { nameOf } }: PageContext<'partner'>,
  movements: FundingOverview['movements'],
  currency: string,
): Html {
  return section(
    'Latest movements',
    table({
      caption: 'Funding movements',
      columns: {
        For: (movement) =>
          movement.rewardId === null
            ? subjectText(movement)
            : idLink(movement.rewardId, nameOf?.get(movement.rewardId)),
        Description: ({ kind }) => wordsOfEntry(kind),
        When: ({ at }) => time(at),
        Amount: { number: ({ amountCents }) => signed(amountCents, currency) },
        'Available after': { number: ({ balanceCents }) => money(balanceCents, currency) },
      },
      rows: movements,
      empty: emptyState('No movements yet', 'Your first top-up will appear here.'),
    }),
  );
}

function testFundingSection(integrations: FundingOverview['test'], currency: string): Html {
  return section(
    'Test funding',
    html`<p class="muted">Not real money: use it to see in TEST what happens when funds run short. For an integration without test funding, every TEST reward counts as funded.</p>`,
    table({
      caption: 'Test funding',
      columns: {
        Integration: ({ _id, name }) =>
          html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
        Available: {
          number: ({ freeCents }) =>
            freeCents === null
              ? html`<span class="muted">none added</span>`
              : money(freeCents, currency),
        },
      },
      rows: integrations,
      empty: emptyState(
        'No integration yet',
        'Test funding belongs to an integration.',
        linkButton('/integrations', 'View integrations', 'secondary'),
      ),
    }),
  );
}

/** Where notices go: the contact, or a hint if it is missing or not verified. */
function contactOf(ctx: PageContext<'partner'>): Part {
  const { viewer } = ctx.state;
  const { partner } = viewer;
  const link = (path: string, text: string) =>
    hasPermission(viewer, 'partner.update') ? html`<a href="${path}">${text}</a>` : nothing;
  if (partner.contactEmail === null) {
    return html`<span class="muted">No contact</span> ${link('/profile', 'Enter a contact')}`;
  }
  if (verifiedContact(partner) !== null) return partner.contactEmail;
  return html`<span class="muted">Nobody: ${partner.contactEmail} is not verified</span> ${link('/profile#contacts', 'Verify it')}`;
}
