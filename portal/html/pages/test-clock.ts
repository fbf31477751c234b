import type { TestPeriodDoc } from '../../../models/schemas/billing.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import type { RewardDoc } from '../../../models/schemas/rewards.ts';
import type { TestClock } from '../../../models/views/test-clock.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { badge, emptyState, facts, linkButton, notice, section, table } from '../components.ts';
import { form, select } from '../form.ts';
import { day, money, number, time } from '../format.ts';
import { type Html, html } from '../html.ts';
import { rewardProgress } from '../reward-progress.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [['TEST clock', '/test-clock']] as const;

export function testClockPage(
  ctx: PageContext<'partner'>,
  { rewards, periods, plans, hasSubscription }: TestClock,
  filled: Filled,
): Page {
  return page(
    {
      title: 'TEST clock',
      mode: 'TEST',
      lead: 'See today what would happen in 30 days: a reward claimed or expired, a period billed.',
    },
    section(
      'Rewards',
      table({
        caption: 'Newest TEST rewards',
        columns: [
          {
            heading: 'Order',
            cell: ({ _id, externalOrderId }) =>
              html`<a href="/test-clock/${_id}"><span class="clip">${externalOrderId}</span></a>`,
          },
          { heading: 'State', cell: ({ status }) => badge(status) },
          { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
          { heading: 'Reported', cell: ({ createdAt }) => time(createdAt) },
        ],
        rows: rewards,
        empty: emptyState(
          'No TEST rewards yet',
          'Report a purchase; its reward appears here in a moment.',
          linkButton('/console', 'Open test console'),
        ),
      }),
    ),
    section(
      'End the billing period',
      html`<p>A rehearsal: what the TEST rewards since the end of the last period would have cost. No money moves, and nothing is owed.</p>`,
      form(
        ctx,
        { action: '/test-clock/end-period', submit: 'End period now', filled },
        select({
          name: 'planVersionId',
          label: 'Plan',
          filled,
          ...(!hasSubscription && { hint: 'You have no subscription yet: choose a plan to try.' }),
          choices: [
            {
              value: '',
              text: hasSubscription ? 'Your subscription’s plan' : 'Choose a plan',
            },
            ...plans.map(({ _id, name, version }) => ({
              value: _id,
              text: `${name}, version ${version}`,
            })),
          ],
        }),
        select({
          name: 'interval',
          label: 'Billed',
          filled,
          choices: [
            ...(hasSubscription ? [{ value: '', text: 'As in your subscription' }] : []),
            { value: 'MONTH', text: 'Monthly' },
            { value: 'YEAR', text: 'Yearly' },
          ],
        }),
      ),
    ),
    section(
      'TEST invoices',
      table({
        caption: 'TEST invoices',
        columns: [
          {
            heading: 'Invoice',
            cell: ({ _id, seq }) => html`<a href="/test-clock/periods/${_id}">${numberOf(seq)}</a>`,
          },
          {
            heading: 'Period',
            cell: ({ periodStart, periodEnd }) => html`${day(periodStart)} – ${day(periodEnd)}`,
          },
          { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
          {
            heading: 'Total',
            cell: ({ totalCents, currency: of }) => money(totalCents, of),
            isNumber: true,
          },
        ],
        rows: periods,
        empty: emptyState('No periods ended yet', 'Its invoice will appear here.'),
      }),
    ),
  );
}

export function testPeriodPage(partner: PartnerDoc, period: TestPeriodDoc): Page {
  const { seq, currency, lines, totalCents, rewards, points, creditLeftCents } = period;
  return page(
    {
      title: `TEST invoice ${numberOf(seq)}`,
      crumbs: crumbs(),
      mode: 'TEST',
    },
    notice(
      'warn',
      html`<strong>This is a TEST.</strong> Nothing is owed, and it is not recorded in the ledger.`,
    ),
    section(
      'What would have been billed',
      facts([
        ['To', partner.legalName ?? partner.name],
        ['Period', html`${time(period.periodStart)} to ${time(period.periodEnd)}`],
        ['Rewards counted', number(rewards)],
        ['Points', number(points)],
        ['Credit carried forward', money(creditLeftCents, currency)],
      ]),
      table({
        caption: 'Lines',
        columns: [
          { heading: 'Description', cell: ({ description }) => description },
          {
            heading: 'Amount',
            cell: ({ amountCents }) => money(amountCents, currency),
            isNumber: true,
          },
        ],
        rows: [...lines, { kind: 'PLAN' as const, description: 'Total', amountCents: totalCents }],
        empty: html``,
      }),
    ),
    html`<p class="way-on">${linkButton('/test-clock', 'Back to the TEST clock', 'secondary')}</p>`,
  );
}

export function testRewardPage(
  ctx: PageContext<'partner'>,
  reward: RewardDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: `Reward of ${reward.externalOrderId}`,
      crumbs: crumbs(),
      mode: 'TEST',
      lead: 'What has happened so far. While the reward is open, you can claim it or let it expire here.',
    },
    filled.errors[''] === undefined ? html`` : notice('bad', filled.errors['']),
    rewardProgress(reward),
    section('Now', buttons(ctx, reward)),
    html`<p class="way-on"><a href="/test-clock/${reward._id}">Refresh</a> <a href="/console">Test console</a></p>`,
  );
}

const numberOf = (seq: number): string => `TEST-${String(seq).padStart(4, '0')}`;

function buttons(ctx: PageContext<'partner'>, { _id, status, funded }: RewardDoc): Html {
  const isOpen = status === 'PENDING' || status === 'AWAITING_FUNDING';
  if (!isOpen) return html`<p>Nothing more will happen to it over time.</p>`;
  const one = (path: string, submit: string) =>
    form(ctx, { action: `/test-clock/${_id}/${path}`, submit, isInline: true });
  return html`<div class="buttons">${
    funded
      ? one('claim', 'Claim now')
      : html`<p class="muted">It can be claimed once it is funded. <a href="/integrations">View test funding</a></p>`
  }${one('expire', 'Let it expire now')}</div>`;
}
