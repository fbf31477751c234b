import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { badge, emptyState, linkButton, notice, section, table } from '../components/components.ts';
import { form } from '../components/form.ts';
import { type Html, html, time } from '../components/format.ts';
import { rewardProgress } from '../components/timeline.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';

const crumbs = () => [['TEST clock', '/test-clock']] as const;

export function testClockPage(rewards: readonly RewardDoc[]): Page {
  return page(
    {
      title: 'TEST clock',
      mode: 'TEST',
      lead: 'See today what would happen in 30 days: a reward claimed or expired.',
    },
    section(
      'Rewards',
      table({
        caption: 'Newest TEST rewards',
        columns: {
          Order: ({ _id, externalOrderId }) =>
            html`<a href="/test-clock/${_id}"><span class="clip">${externalOrderId}</span></a>`,
          State: ({ status }) => badge(status),
          Points: { number: ({ points }) => points },
          Reported: ({ createdAt }) => time(createdAt),
        },
        rows: rewards,
        empty: emptyState(
          'No TEST rewards yet',
          'Report a purchase; its reward appears here in a moment.',
          linkButton('/console', 'Open test console'),
        ),
      }),
    ),
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
