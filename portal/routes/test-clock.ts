import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Interval, intervals } from '../../domain/plan-arithmetic.ts';
import { endTestPeriod } from '../../models/commands/end-test-period.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../html/components.ts';
import { form, select } from '../html/form.ts';
import { day, money, number, time } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { rewardStory } from '../html/reward-story.ts';
import { view } from '../html/view.ts';
import type { Routes } from '../route-table.ts';
import { findTestReward, makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';

const crumbs = [['TEST clock', '/test-clock']] as const;
const maxRewards = 25;
const maxPeriods = 12;
const maxPlans = 50;
const common = { audience: 'partner', permission: 'test-event.send' } as const;

const periodSchema = Joi.object<{ planVersionId?: string; interval?: Interval }>({
  planVersionId: Joi.string().max(64),
  interval: Joi.string().valid(...intervals),
});

/** Lets time pass in TEST, one thing at a time: nothing of it reaches LIVE. */
export function testClockPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  routes.page({ ...common, path: '/test-clock' }, (ctx) => showAll(ctx));

  async function showAll(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Promise<void> {
    const { _id: partnerId, currency } = ctx.state.viewer.partner;
    const [rewards, periods, plans] = await Promise.all([
      models.rewards
        .find({ partnerId, mode: 'TEST' })
        .sort({ createdAt: -1 })
        .limit(maxRewards)
        .hint('test_rewards')
        .lean(),
      models.testPeriods.find({ partnerId }).sort({ seq: -1 }).limit(maxPeriods).lean(),
      models.planVersions.find({ status: 'PUBLISHED', currency }).limit(maxPlans).lean(),
    ]);
    view(
      ctx,
      {
        ...{ title: 'TEST clock', mode: 'TEST' },
        lead: 'See today what time brings in thirty days: a reward claimed or expired, a period billed.',
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
            'No TEST reward yet',
            'Report a purchase; its reward is here within a moment.',
            linkButton('/console', 'To the test console'),
          ),
        }),
      ),
      section(
        'End the billing period',
        html`<p>A rehearsal: what the TEST rewards since the last end would have cost. It moves nothing, and nobody owes it.</p>`,
        form(
          ctx,
          { action: '/test-clock/end-period', submit: 'End the period now', filled },
          select({
            ...{ name: 'planVersionId', label: 'Plan', filled },
            choices: [
              { value: '', text: 'That of your subscription' },
              ...plans.map(({ _id, name, version }) => ({
                value: _id,
                text: `${name}, version ${version}`,
              })),
            ],
          }),
          select({
            ...{ name: 'interval', label: 'Billed', filled },
            choices: [
              { value: '', text: 'As you are subscribed, or each month' },
              { value: 'MONTH', text: 'Each month' },
              { value: 'YEAR', text: 'Each year' },
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
              cell: ({ _id, seq }) =>
                html`<a href="/test-clock/periods/${_id}">${numberOf(seq)}</a>`,
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
          empty: emptyState('No period was ended yet', 'Its invoice will stand here.'),
        }),
      ),
    );
  }

  routes.action(
    { ...common, path: '/test-clock/end-period' },
    {
      schema: periodSchema,
      async act(ctx, fields) {
        const partnerId = ctx.state.viewer.partner._id;
        const { _id } = await deed(
          deps,
          ctx,
          { action: 'test-clock.end-period', targetId: null, partnerId, details: { ...fields } },
          () => endTestPeriod(deps, { partnerId, ...fields }),
          (period) => ({ targetId: period._id }),
        );
        redirect(ctx, `/test-clock/periods/${_id}`, 'The TEST period has ended.');
      },
      retry: showAll,
    },
  );

  routes.page(
    {
      ...common,
      path: '/test-clock/periods/:testPeriodId',
      params: { testPeriodId: 'testPeriod' },
    },
    async (ctx) => {
      const partnerId = ctx.state.viewer.partner._id;
      const _id = param(ctx, 'testPeriodId');
      const period = await models.testPeriods.findOne({ partnerId, _id }).lean();
      if (!period) throw new ServiceError('NOT_FOUND', 'There is no such TEST period.');
      const { seq, currency, lines, totalCents, rewards, points, creditLeftCents } = period;
      view(
        ctx,
        { title: `TEST invoice ${numberOf(seq)}`, crumbs, mode: 'TEST' },
        notice(
          'warn',
          html`<strong>This is a TEST.</strong> Nobody owes it, and no book knows it.`,
        ),
        section(
          'What it would have been',
          facts([
            ['To', ctx.state.viewer.partner.legalName ?? ctx.state.viewer.partner.name],
            ['Period', html`${time(period.periodStart)} to ${time(period.periodEnd)}`],
            ['Rewards that stand', number(rewards)],
            ['Their points', number(points)],
            ['Credit left for the next', money(creditLeftCents, currency)],
          ]),
          table({
            caption: 'Lines',
            columns: [
              { heading: 'What', cell: ({ description }) => description },
              {
                heading: 'Amount',
                cell: ({ amountCents }) => money(amountCents, currency),
                isNumber: true,
              },
            ],
            rows: [
              ...lines,
              { kind: 'PLAN' as const, description: 'Total', amountCents: totalCents },
            ],
            empty: html``,
          }),
        ),
        html`<p class="way-on">${linkButton('/test-clock', 'To the TEST clock', 'secondary')}</p>`,
      );
    },
  );

  const ofReward = { ...common, params: { rewardId: 'testReward' } } as const;
  routes.page({ ...ofReward, path: '/test-clock/:rewardId' }, (ctx) => showOne(ctx));

  async function showOne(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Promise<void> {
    const partnerId = ctx.state.viewer.partner._id;
    const reward = await findTestReward(models, partnerId, param(ctx, 'rewardId'));
    view(
      ctx,
      {
        ...{ title: `Reward of ${reward.externalOrderId}`, crumbs, mode: 'TEST' },
        lead: 'What its workflow has done; and what time or its customer would do, at once.',
      },
      filled.errors[''] === undefined ? html`` : notice('bad', filled.errors['']),
      rewardStory(reward),
      section('Now', buttons(ctx, reward)),
      html`<p class="way-on"><a href="/test-clock/${reward._id}">Look again</a> <a href="/console">Test console</a></p>`,
    );
  }

  for (const name of Object.keys(testMoves) as TestMoveName[]) {
    routes.action(
      { ...ofReward, path: `/test-clock/:rewardId/${name}` },
      {
        schema: Joi.object({}),
        async act(ctx) {
          const partnerId = ctx.state.viewer.partner._id;
          const rewardId = param(ctx, 'rewardId');
          await makeTestMove(deps, ctx, { partnerId, rewardId }, name);
          redirect(ctx, `/test-clock/${rewardId}`, testMoves[name].said);
        },
        retry: showOne,
      },
    );
  }
}

const numberOf = (seq: number): string => `TEST-${String(seq).padStart(4, '0')}`;

function buttons(ctx: PageContext<'partner'>, { _id, status, funded }: RewardDoc): Html {
  const isOpen = status === 'PENDING' || status === 'AWAITING_FUNDING';
  if (!isOpen) return html`<p>Nothing more happens to it by the clock.</p>`;
  const one = (path: string, submit: string) =>
    form(ctx, { action: `/test-clock/${_id}/${path}`, submit, isInline: true });
  return html`<div class="buttons">${
    funded
      ? one('claim', 'Claim now')
      : html`<p class="muted">It can be claimed once funds stand behind it. <a href="/integrations">To the TEST funding</a></p>`
  }${one('expire', 'Let it expire now')}</div>`;
}
