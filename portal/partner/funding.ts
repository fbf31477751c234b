import Joi from 'joi';
import { verifiedContact } from '../../domain/customer.ts';
import { paymentReferenceOf } from '../../domain/invoice.ts';
import { formatCents } from '../../domain/money.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { updatePartner } from '../../operations/partners.ts';
import { addTestFunding, maxTestFundingCents, maxTopUpCents } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { type FundingOverview, readFundingOverview } from '../../views/funding.ts';
import type { QueueView } from '../../views/queue.ts';
import {
  code,
  definitions,
  emptyState,
  linkButton,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { amountField, formBehind, hidden } from '../components/form.ts';
import {
  type Html,
  html,
  money,
  moneyText,
  nothing,
  number,
  numberText,
  type Part,
  time,
} from '../components/format.ts';
import { fundingMetric } from '../components/funding-metric.ts';
import { idLink } from '../components/links.ts';
import { letPassButton, queueWords } from '../components/queue.ts';
import { signed, subjectText } from '../components/statement.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { moneyField } from '../forms/fields.ts';
import { moneyOf } from '../forms/money-form.ts';
import { type Filled, filledWhere, filledWith } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { renderWithNext } from '../next-step.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { wordsOfEntry } from '../words/entry-words.ts';

const testFundingSchema = Joi.object<{ amount: number; reference: string }>({
  amount: moneyField('cents', { min: 1, max: maxTestFundingCents }).required(),
  /** Identifies the form, so that submitting it twice adds the amount once. */
  reference: Joi.string()
    .pattern(/^req_[0-9A-Z]{26}$/)
    .required(),
});

const thresholdSchema = Joi.object<{ threshold: number }>({
  threshold: moneyField('cents', { max: maxTopUpCents }).required(),
});

/** The partner’s funding: balance, how long it lasts, and how to top up. */
export function fundingPages(routes: RoutesOf<'partner'>): void {
  routes.page('/funding', showFunding);
  routes.page('/funding/how-to-pay', showHow);
  routes.operation('/funding/threshold', updatePartner, {
    on: showFunding,
    form: thresholdSchema,
    input: ({ threshold: lowBalanceThresholdCents }) => ({ lowBalanceThresholdCents }),
    to: '/funding',
    said: 'Threshold saved.',
  });
  routes.operation('/funding/test-funding', addTestFunding, {
    on: showFunding,
    form: testFundingSchema,
    input: moneyOf,
    to: '/funding#test-funding',
    said: (_made, { amount }, { state }) =>
      `${moneyText(amount, state.viewer.partner.currency)} of test funding added.`,
  });
}

async function showFunding(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const overview = await readFundingOverview(deps, ownScope(ctx));
  const reference = newId('request', deps.now());
  await renderWithNext(ctx, deps, fundingPage(ctx, overview, { filled, reference }));
}

async function showHow(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner } = ctx.state.viewer;
  await renderWithNext(ctx, deps, howToPayPage(partner, howToPay(deps, partner)));
}

/** Where a partner transfers money to. */
export const howToPay = ({ config }: PageDeps, { _id }: PartnerDoc): HowToTopUp => ({
  details: config.issuer?.paymentDetails ?? null,
  reference: paymentReferenceOf(config.paymentReferencePrefix, _id),
});

function fundingPage(
  ctx: PageContext<'partner'>,
  { funding, queue, movements, test }: FundingOverview,
  { filled, reference }: { filled: Filled | undefined; reference: string },
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
    fundingNotice(ctx, { funding, queue }),
    figures(funding, currency),
    movementsSection(movements, currency),
    lowBalanceSection(ctx, filled),
    testFundingSection(ctx, test, { filled: filledWhere('amount', filled), reference }),
  );
}

function fundingNotice(
  ctx: PageContext<'partner'>,
  { funding, queue }: Pick<FundingOverview, 'funding' | 'queue'>,
): Html {
  const { currency, lowBalanceThresholdCents } = ctx.state.viewer.partner;
  const { fundingCents, awaitingRewards, missingCents } = funding;
  if (queue !== null) {
    return html`${notice(
      'bad',
      html`<strong>${awaitingRewards === 1 ? html`<span class="number">${numberText(awaitingRewards)}</span> reward is` : html`<span class="number">${numberText(awaitingRewards)}</span> rewards are`} waiting for funds.</strong> ${money(missingCents, currency)} is missing for all of them. Top-ups fund them in the order of their purchases.${queueWords(queue, orderWords(currency))}`,
    )}${letPass(ctx, queue, { hasOthers: awaitingRewards > 1 })}`;
  }
  if (fundingCents >= lowBalanceThresholdCents) return nothing;
  const lowBalanceThreshold = moneyText(lowBalanceThresholdCents, currency);
  return notice(
    'warn',
    `The funding is below your threshold of ${lowBalanceThreshold}. Top up to keep rewards funded.`,
  );
}

const orderWords = (currency: string) => ({
  currency,
  pathOf: (rewardId: string) => `/orders/${rewardId}`,
});

/** Lets the others pass the order that holds the queue. */
function letPass(
  ctx: PageContext<'partner'>,
  { holder }: QueueView,
  { hasOthers }: { hasOthers: boolean },
): Html {
  const mayLet = hasPermission(ctx.state.viewer, 'reward.let-pass');
  if (holder === null || !hasOthers || !mayLet) return nothing;
  const { rewardId, externalOrderId } = holder;
  return letPassButton(ctx, { action: `/orders/${rewardId}/let-pass`, externalOrderId });
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
export interface HowToTopUp {
  /** One entry per line; null if the installation names no bank account. */
  details: string | null;
  reference: string;
}

function howToPayPage(partner: PartnerDoc, howToPay: HowToTopUp): Page {
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
  { details, reference }: HowToTopUp,
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

function lowBalanceSection(ctx: PageContext<'partner'>, given: Filled | undefined): Html {
  const { viewer } = ctx.state;
  const { currency, lowBalanceThresholdCents } = viewer.partner;
  const stored = filledWith({ threshold: formatCents(lowBalanceThresholdCents, currency) });
  const filled = given !== undefined && 'threshold' in given.values ? given : stored;
  return section(
    'Low balance',
    definitions([
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

function movementsSection(movements: FundingOverview['movements'], currency: string): Html {
  return section(
    'Latest movements',
    table({
      caption: 'Funding movements',
      columns: {
        For: (movement) =>
          movement.rewardId === null
            ? subjectText(movement)
            : idLink(movement.rewardId, subjectText(movement)),
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

function testFundingSection(
  ctx: PageContext<'partner'>,
  test: FundingOverview['test'],
  given: { filled: Filled; reference: string },
): Html {
  const { viewer } = ctx.state;
  const { currency } = viewer.partner;
  const add = hasPermission(viewer, 'test-funding.add') ? testFundingForm(ctx, given) : nothing;
  return html`<div id="test-funding">${section(
    'Test funding',
    test.isUnlimited
      ? emptyState(
          'Every TEST reward is funded',
          'Add test funding (not real money) to see what happens when funds run short: rewards that it doesn’t cover wait until there is more.',
          add,
        )
      : html`${definitions([
          ['Available', money(test.fundingCents, currency)],
          ['Reserved for rewards', money(test.reservedCents, currency)],
          ['Owed to customers', money(test.owedCents, currency)],
          ...(test.awaitingRewards === 0
            ? []
            : [
                [
                  'Rewards waiting for funds',
                  html`${number(test.awaitingRewards)}; ${money(test.missingCents, currency)} is missing for all of them.${test.queue === null ? nothing : queueWords(test.queue, orderWords(currency))}`,
                ] as const,
              ]),
        ])}${
          test.queue === null
            ? nothing
            : letPass(ctx, test.queue, { hasOthers: test.awaitingRewards > 1 })
        }<div class="after">${add}</div>`,
  )}</div>`;
}

/** @param given.reference identifies the form, so that submitting it twice adds the amount once */
function testFundingForm(
  ctx: PageContext<'partner'>,
  { filled, reference }: { filled: Filled; reference: string },
): Html {
  const { currency } = ctx.state.viewer.partner;
  return formBehind(
    ctx,
    {
      ask: 'Add test funding',
      action: '/funding/test-funding',
      submit: 'Add test funding',
      filled,
    },
    hidden('reference', String(filled.values.reference ?? reference)),
    amountField({
      name: 'amount',
      label: `Amount in ${currency}`,
      filled,
      isRequired: true,
      currency,
      hint: `No real money moves. Up to ${moneyText(maxTestFundingCents, currency)} can be available. Once you add any, rewards that it doesn’t cover wait for more.`,
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
