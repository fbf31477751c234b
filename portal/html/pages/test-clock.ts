import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { RewardDoc } from '../../../models/schemas/reward.ts';
import type { TestPeriodDoc } from '../../../models/schemas/test-period.ts';
import type { TestClock } from '../../../models/views/test-clock.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { badge, emptyState, facts, linkButton, notice, section, table } from '../components.ts';
import { form, select } from '../form.ts';
import { day, money, number, time } from '../format.ts';
import { type Html, html } from '../html.ts';
import { rewardProgress } from '../reward-progress.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [[say('testClock.testClock'), '/test-clock']] as const;

export function testClockPage(
  ctx: PageContext<'partner'>,
  { rewards, periods, plans, hasSubscription }: TestClock,
  filled: Filled,
): Page {
  return page(
    {
      title: say('testClock.title'),
      mode: 'TEST',
      lead: say('testClock.lead'),
    },
    section(
      say('testClock.section.rewards'),
      table({
        caption: say('testClock.caption'),
        columns: [
          {
            heading: say('common.order'),
            cell: ({ _id, externalOrderId }) =>
              html`<a href="/test-clock/${_id}"><span class="clip">${externalOrderId}</span></a>`,
          },
          { heading: say('common.state'), cell: ({ status }) => badge(status) },
          { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
          { heading: say('testClock.reported'), cell: ({ createdAt }) => time(createdAt) },
        ],
        rows: rewards,
        empty: emptyState(
          say('testClock.empty.title'),
          say('testClock.empty.text'),
          linkButton('/console', say('testClock.button')),
        ),
      }),
    ),
    section(
      say('testClock.section.endBillingPeriod'),
      html`<p>${say('testClock.rehearsalTest')}</p>`,
      form(
        ctx,
        { action: '/test-clock/end-period', submit: say('testClock.submit'), filled },
        select({
          name: 'planVersionId',
          label: say('common.plan'),
          filled,
          ...(!hasSubscription && { hint: say('testClock.hint') }),
          choices: [
            {
              value: '',
              text: hasSubscription
                ? say('testClock.yourSubscriptionsPlan')
                : say('testClock.chooseAPlan'),
            },
            ...plans.map(({ _id, name, version }) => ({
              value: _id,
              text: say('testClock.version', { name, version }),
            })),
          ],
        }),
        select({
          name: 'interval',
          label: say('testClock.interval'),
          filled,
          choices: [
            ...(hasSubscription ? [{ value: '', text: say('testClock.subscription') }] : []),
            { value: 'MONTH', text: say('testClock.choice.month') },
            { value: 'YEAR', text: say('testClock.choice.year') },
          ],
        }),
      ),
    ),
    section(
      say('testClock.section.testInvoices'),
      table({
        caption: say('testClock.caption.testInvoices'),
        columns: [
          {
            heading: say('testClock.invoice'),
            cell: ({ _id, seq }) => html`<a href="/test-clock/periods/${_id}">${numberOf(seq)}</a>`,
          },
          {
            heading: say('common.period'),
            cell: ({ periodStart, periodEnd }) => html`${day(periodStart)} – ${day(periodEnd)}`,
          },
          { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
          {
            heading: say('common.total'),
            cell: ({ totalCents, currency: of }) => money(totalCents, of),
            isNumber: true,
          },
        ],
        rows: periods,
        empty: emptyState(
          say('testClock.empty.title.periodsEnded'),
          say('testClock.empty.text.invoiceAppear'),
        ),
      }),
    ),
  );
}

export function testPeriodPage(partner: PartnerDoc, period: TestPeriodDoc): Page {
  const { seq, currency, lines, totalCents, rewards, points, creditLeftCents } = period;
  return page(
    {
      title: say('testClock.testPeriod.title', { number: numberOf(seq) }),
      crumbs: crumbs(),
      mode: 'TEST',
    },
    notice('warn', say('testClock.testPeriod.notice', { strong: tags.strong })),
    section(
      say('testClock.section.would'),
      facts([
        [say('common.to'), partner.legalName ?? partner.name],
        [
          say('common.period'),
          say('testClock.to', {
            periodStart: time(period.periodStart),
            periodEnd: time(period.periodEnd),
          }),
        ],
        [say('testClock.rewardsThatStand'), number(rewards)],
        [say('testClock.theirPoints'), number(points)],
        [say('testClock.creditLeftNext'), money(creditLeftCents, currency)],
      ]),
      table({
        caption: say('testClock.testPeriod.caption'),
        columns: [
          { heading: say('common.what'), cell: ({ description }) => description },
          {
            heading: say('common.amount'),
            cell: ({ amountCents }) => money(amountCents, currency),
            isNumber: true,
          },
        ],
        rows: [
          ...lines,
          { kind: 'PLAN' as const, description: say('testClock.total'), amountCents: totalCents },
        ],
        empty: html``,
      }),
    ),
    html`<p class="way-on">${linkButton('/test-clock', say('testClock.testPeriod.button'), 'secondary')}</p>`,
  );
}

export function testRewardPage(
  ctx: PageContext<'partner'>,
  reward: RewardDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: say('testClock.testReward.title', { order: reward.externalOrderId }),
      crumbs: crumbs(),
      mode: 'TEST',
      lead: say('testClock.testReward.lead'),
    },
    filled.errors[''] === undefined ? html`` : notice('bad', filled.errors['']),
    rewardProgress(reward),
    section(say('testClock.section.now'), buttons(ctx, reward)),
    html`<p class="way-on"><a href="/test-clock/${reward._id}">${say('testClock.refresh')}</a> <a href="/console">${say('testClock.testConsole')}</a></p>`,
  );
}

const numberOf = (seq: number): string => `TEST-${String(seq).padStart(4, '0')}`;

function buttons(ctx: PageContext<'partner'>, { _id, status, funded }: RewardDoc): Html {
  const isOpen = status === 'PENDING' || status === 'AWAITING_FUNDING';
  if (!isOpen) return html`<p>${say('testClock.buttons.nothingMore')}</p>`;
  const one = (path: string, submit: string) =>
    form(ctx, { action: `/test-clock/${_id}/${path}`, submit, isInline: true });
  return html`<div class="buttons">${
    funded
      ? one('claim', say('testClock.claimNow'))
      : html`<p class="muted">${say('testClock.buttons.claimedOnce', { link: tags.link('/integrations') })}</p>`
  }${one('expire', say('testClock.buttons.letExpire'))}</div>`;
}
