import { canMove, rewardStatuses } from '../../../../domain/reward-states.ts';
import type { RewardDoc } from '../../../../models/schemas/reward.ts';
import type { RewardStory, Rewards } from '../../../../models/views/rewards.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../components.ts';
import { choicesOf, filterBar } from '../../filters.ts';
import { form, textArea } from '../../form.ts';
import { minuteOfIso, money, number, time } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { adminPaths, to, toId, workflowLink } from '../../links.ts';
import { pager } from '../../pager.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { lifeOf } from '../../story.ts';
import { toldTable } from '../../told.ts';
import { type Page, page } from '../../view.ts';
import { whyPoints } from '../../why-points.ts';

const crumbs = [['Rewards', '/admin/rewards']] as const;

export function rewardsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor, nameOf }: Rewards,
): Page {
  return page(
    { title: 'Rewards' },
    filterBar(ctx, [
      { name: 'status', label: 'State', choices: choicesOf(rewardStatuses, wordsOf) },
      { name: 'mode', label: 'Mode', choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
      partnerFilter(ctx),
      { name: 'order', label: 'Order' },
      { name: 'customer', label: 'Customer', placeholder: 'cus_…' },
    ]),
    html`<section class="card" id="list">${partnerFilterNote(ctx)}${table({
      caption: 'Rewards',
      columns: [
        { heading: 'Order', cell: (one) => to('REWARD', one._id, one.externalOrderId) },
        {
          heading: 'Partner',
          cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        },
        { heading: 'Mode', cell: (one) => badge(one.mode) },
        { heading: 'State', cell: (one) => badge(one.status) },
        { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
        {
          heading: 'Cost',
          cell: ({ liabilityCents, currency }) => money(liabilityCents, currency),
          isNumber: true,
        },
        { heading: 'Created', cell: ({ createdAt }) => time(createdAt) },
      ],
      rows: items,
      empty: emptyState('No reward here', 'An accepted purchase makes one, within seconds.'),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

/** @param cancelledFor why an operator cancelled it; null where the customer was erased, or none did */
export function anyRewardPage(
  ctx: PageContext<'operator'>,
  { reward, story, partner }: RewardStory,
  { config, cancelledFor }: { config: Pick<Config, 'temporal'>; cancelledFor: string | null },
): Page {
  const { _id, partnerId, currency } = reward;
  const { customer } = story.request;
  const mayCancel = canMove(reward, 'CANCEL') && hasPermission(ctx.state.viewer, 'reward.cancel');
  return page(
    {
      title: `Reward of ${reward.externalOrderId}`,
      crumbs,
      lead: html`${badge(reward.mode)} ${badge(reward.status)} ${to('PARTNER', partnerId, partner.name)}`,
      mode: reward.mode,
      actions: mayCancel
        ? linkButton(`${adminPaths.REWARD}${_id}/cancel`, 'Cancel the reward …', 'secondary')
        : nothing,
    },
    section('What happens next', html`<p>${story.next.sentence(minuteOfIso)}</p>`),
    section(
      'Reward',
      facts([
        ['Points', number(reward.points)],
        ['Cost', money(reward.liabilityCents, currency)],
        ['Money behind it', reward.funded ? 'there' : 'not there'],
        ['Customer’s side', badge(reward.customerStatus)],
        ['Can be claimed until', time(reward.claimExpiresAt)],
        ['Order', to('EVENT', reward.purchaseEventId, reward.externalOrderId)],
        [
          'Customer',
          to(
            'CUSTOMER',
            reward.customerId,
            [customer?.email, customer?.phone].filter(Boolean).join(', '),
          ),
        ],
        ['Integration', to('INTEGRATION', reward.integrationId)],
        ['Review', reward.review ? to('REVIEW', reward.review.reviewId, 'the newest') : 'none'],
        [
          'Ledger',
          html`<a href="/admin/ledger?partner=${partnerId}&amp;reward=${_id}${reward.mode === 'TEST' ? '&book=TEST' : ''}">its transactions</a>`,
        ],
        ['Workflow', workflowLink(config, reward.workflowId)],
        ['Id', code(_id, { canCopy: true })],
      ]),
    ),
    cancelledSection(ctx, reward, cancelledFor),
    section('Timeline', lifeOf(story.timeline, currency)),
    section('Webhooks', toldTable(story.told, 'None: the partner had no endpoint for it.')),
    section('Why it has that many points', whyPoints(story.why, currency)),
  );
}

function cancelledSection(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  cancelledFor: string | null,
): Html {
  if (reward.cancellation === null) return nothing;
  const { operatorId, cancelledAt } = reward.cancellation;
  return section(
    'Cancelled by an operator',
    facts([
      ['By', toId(ctx, operatorId)],
      ['When', time(new Date(cancelledAt))],
      ['Because', cancelledFor ?? 'the customer was erased'],
    ]),
  );
}

export function cancelRewardPage(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  filled: Filled,
): Page {
  const { _id, externalOrderId, mode } = reward;
  const path = adminPaths.REWARD + _id;
  return page(
    { title: 'Cancel the reward', crumbs: [...crumbs, [externalOrderId, path]], mode },
    section(
      'What it does',
      html`<p>The ${number(reward.points)} points can no longer be claimed, and ${money(reward.liabilityCents, reward.currency)} that may be reserved go back to the funding. This cannot be undone.</p>`,
    ),
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/cancel`, submit: 'Cancel the reward', filled, isDangerous: true },
      textArea({
        ...{ name: 'reason', label: 'Why', filled, isRequired: true, maxLength: 500, rows: 4 },
        hint: 'Stored encrypted: only operators can read it.',
      }),
    )}</div>`,
  );
}
