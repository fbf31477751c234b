import { canMove, rewardStatuses } from '../../../../domain/reward-states.ts';
import type { RewardDoc } from '../../../../models/schemas/reward.ts';
import type { RewardDetails, Rewards } from '../../../../models/views/rewards.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
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
import { dayFilters, daysOf } from '../../date-presets.ts';
import { deliveryTable } from '../../delivery-table.ts';
import { choicesOf, emptyOf, filterBar, idFilterField, unmatchedNote } from '../../filters.ts';
import { form, textArea } from '../../form.ts';
import { minuteOfIso, money, number, time } from '../../format.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { operatorPaths, to, toId, workflowLink } from '../../links.ts';
import { listFoot } from '../../list-foot.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { timelineList } from '../../timeline-list.ts';
import { type Page, page } from '../../view.ts';
import { whyPoints } from '../../why-points.ts';

const crumbs = () => [[say('admin.rewards.rewards'), '/admin/rewards']] as const;

export function rewardsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor, nameOf }: Rewards,
  nowMs: number,
): Page {
  return page(
    { title: say('admin.rewards.title') },
    filterBar(ctx, [
      { name: 'status', label: say('common.state'), choices: choicesOf(rewardStatuses, wordsOf) },
      { name: 'mode', label: say('common.mode'), choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
      partnerFilter(ctx),
      { name: 'order', label: say('common.order') },
      idFilterField('customer', say('common.customer'), say('admin.rewards.customer.placeholder')),
      ...dayFilters(),
    ]),
    html`<div id="list">${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${unmatchedNote(ctx)}${table(
      {
        caption: say('admin.rewards.caption'),
        columns: [
          {
            heading: say('common.order'),
            cell: (one) => to('REWARD', one._id, one.externalOrderId),
          },
          {
            heading: say('common.partner'),
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          { heading: say('common.mode'), cell: (one) => badge(one.mode) },
          { heading: say('common.state'), cell: (one) => badge(one.status) },
          { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
          {
            heading: say('admin.rewards.cost'),
            cell: ({ liabilityCents, currency }) => money(liabilityCents, currency),
            isNumber: true,
          },
          { heading: say('common.created'), cell: ({ createdAt }) => time(createdAt) },
        ],
        rows: items,
        empty: emptyOf(
          ctx,
          emptyState(say('admin.rewards.empty.title'), say('admin.rewards.empty.text')),
        ),
      },
    )}${listFoot(ctx, 'rewards', items, nextCursor)}</section></div>`,
  );
}

/** @param cancelledFor the operator's reason; null if the customer was erased, or no operator cancelled it */
export function anyRewardPage(
  ctx: PageContext<'operator'>,
  { reward, details, partner }: RewardDetails,
  { config, cancelledFor }: { config: Pick<Config, 'temporal'>; cancelledFor: string | null },
): Page {
  const { _id, partnerId, currency, mode } = reward;
  const mayCancel = canMove(reward, 'CANCEL') && hasPermission(ctx.state.viewer, 'reward.cancel');
  return page(
    {
      title: say('admin.rewards.anyReward.title', { order: reward.externalOrderId }),
      crumbs: crumbs(),
      lead: html`${badge(mode)} ${badge(reward.status)} ${to('PARTNER', partnerId, partner.name)}`,
      mode,
      actions: mayCancel
        ? linkButton(
            `${operatorPaths.REWARD}${_id}/cancel`,
            say('admin.rewards.cancelTheReward'),
            'secondary',
          )
        : nothing,
    },
    section(
      say('admin.rewards.section.whatHappensNext'),
      html`<p>${details.next.sentence(minuteOfIso)}</p>`,
    ),
    section(
      say('admin.rewards.section.reward'),
      facts([
        ...amountFacts(reward),
        ...referenceFacts(ctx, reward, details.request.customer),
        [say('admin.rewards.workflow'), workflowLink(config, reward.workflowId)],
        [say('common.id'), code(_id, { canCopy: true })],
      ]),
    ),
    cancelledSection(ctx, reward, cancelledFor),
    section(say('admin.rewards.section.timeline'), timelineList(details.timeline, currency)),
    section(
      say('admin.rewards.section.webhooks'),
      deliveryTable(details.deliveries, say('admin.rewards.anyReward.text')),
    ),
    section(say('admin.rewards.section.whyManyPoints'), whyPoints(details.why, currency)),
  );
}

const amountFacts = (reward: RewardDoc): [string, Part][] => [
  [say('common.points'), number(reward.points)],
  [say('admin.rewards.cost'), money(reward.liabilityCents, reward.currency)],
  [say('admin.rewards.funded'), reward.funded ? say('admin.rewards.yes') : say('admin.rewards.no')],
  [say('admin.rewards.customerStatus'), badge(reward.customerStatus)],
  [say('admin.rewards.claimBy'), time(reward.claimExpiresAt)],
];

function referenceFacts(
  ctx: PageContext<'operator'>,
  { _id, partnerId, mode, ...reward }: RewardDoc,
  customer: RewardDetails['details']['request']['customer'],
): [string, Part][] {
  const contacts = [customer?.email, customer?.phone].filter(Boolean).join(', ');
  return [
    [say('common.order'), to('EVENT', reward.purchaseEventId, reward.externalOrderId)],
    [say('common.customer'), to('CUSTOMER', reward.customerId, contacts)],
    [say('common.integration'), toId(ctx, reward.integrationId)],
    [
      say('admin.rewards.review'),
      reward.review
        ? to('REVIEW', reward.review.reviewId, say('admin.rewards.theNewest'))
        : say('admin.rewards.none'),
    ],
    [
      say('admin.rewards.ledger'),
      html`<a href="/admin/ledger?partner=${partnerId}&amp;reward=${_id}${mode === 'TEST' ? '&book=TEST' : ''}">${say('admin.rewards.itsTransactions')}</a>`,
    ],
  ];
}

function cancelledSection(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  cancelledFor: string | null,
): Html {
  if (reward.cancellation === null) return nothing;
  const { operatorId, cancelledAt } = reward.cancellation;
  return section(
    say('admin.rewards.section.cancelledOperator'),
    facts([
      [say('admin.rewards.by'), toId(ctx, operatorId)],
      [say('common.when'), time(new Date(cancelledAt))],
      [say('admin.rewards.cancelled.reason'), cancelledFor ?? say('admin.rewards.cancelled.text')],
    ]),
  );
}

export function cancelRewardPage(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  filled: Filled,
): Page {
  const { _id, externalOrderId, mode } = reward;
  const path = operatorPaths.REWARD + _id;
  return page(
    {
      title: say('admin.rewards.cancelReward.title'),
      crumbs: [...crumbs(), [externalOrderId, path]],
      mode,
    },
    section(
      say('admin.rewards.section.whatItDoes'),
      html`<p>${say('admin.rewards.cancelReward.text', { points: number(reward.points), liability: money(reward.liabilityCents, reward.currency) })}</p>`,
    ),
    html`<div class="card narrow">${form(
      ctx,
      {
        action: `${path}/cancel`,
        submit: say('admin.rewards.cancelReward.submit'),
        filled,
        isDangerous: true,
      },
      textArea({
        name: 'reason',
        label: say('admin.rewards.reason'),
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: say('admin.rewards.reason.hint'),
      }),
    )}</div>`,
  );
}
