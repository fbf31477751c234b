import Joi from 'joi';
import { cancellationReasonOf, cancelReward } from '../../../deeds/cancel-reward.ts';
import { type Mode, modes } from '../../../domain/events.ts';
import { canMove, type RewardStatus, rewardTable } from '../../../domain/reward-states.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../../http/paging.ts';
import { findPartner, findReward } from '../../../models/commands/find.ts';
import type { RewardDoc } from '../../../models/schemas/reward.ts';
import { readEventStory } from '../../../models/views/event-story.ts';
import { namesOfPartners } from '../../../models/views/names.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed, noteRead } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { reasonField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../html/components.ts';
import { choicesOf, filterBar } from '../../html/filters.ts';
import { form, textArea } from '../../html/form.ts';
import { money, number, time } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, to, toId, workflowLink } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { lifeOf } from '../../html/story.ts';
import { view } from '../../html/view.ts';
import { whyPoints } from '../../html/why-points.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

const statuses = [...new Set(rewardTable.map(({ from }) => from))];

interface RewardQuery extends PageQuery {
  status?: RewardStatus;
  mode?: Mode;
  partner?: string;
  order?: string;
  customer?: string;
}

const querySchema = Joi.object<RewardQuery>({
  status: Joi.string().valid(...statuses),
  mode: Joi.string().valid(...modes),
  partner: searchText,
  order: searchText,
  customer: searchText,
  ...pageParameters,
});
const cancelSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });

const crumbs = [['Rewards', '/admin/rewards']] as const;

/** Rewards of all partners, and one of them. */
export function adminRewardPages(routes: Routes, deps: PortalDeps): void {
  const { models, config } = deps;

  routes.page({ path: '/admin/rewards', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { status, mode, partner, order, customer, ...paging } = queryOf(ctx, querySchema);
    if (customer !== undefined) {
      const read = { partnerId: partner ?? null, targetId: customer };
      await noteRead(deps, ctx, { action: 'customer.read', ...read });
    }
    const { items, nextCursor } = await page(
      models.rewards,
      given({
        ...{ status, mode, partnerId: partner },
        ...{ externalOrderId: order, customerKey: customer },
      }),
      paging,
      (reward: RewardDoc) => reward,
    );
    const nameOf = await namesOfPartners(
      models,
      items.map(({ partnerId }) => partnerId),
    );
    view(
      ctx,
      { title: 'Rewards' },
      filterBar(ctx, [
        { name: 'status', label: 'State', choices: choicesOf(statuses, wordsOf) },
        { name: 'mode', label: 'Mode', choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
        { name: 'partner', label: 'Partner', placeholder: 'prt_…' },
        { name: 'order', label: 'Order' },
        { name: 'customer', label: 'Customer', placeholder: 'cus_…' },
      ]),
      html`<section class="card" id="list">${table({
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
  });

  const ofReward = {
    path: '/admin/rewards/:rewardId',
    params: { rewardId: 'reward' },
    audience: 'operator',
  } as const;

  routes.page({ ...ofReward, permission: 'read' }, async (ctx) => {
    const reward = await findReward(models, param(ctx, 'rewardId'));
    const { _id, partnerId, currency } = reward;
    const story = await readEventStory(deps, partnerId, reward.purchaseEventId);
    if (story === null) throw nothingHere();
    await noteRead(deps, ctx, { action: 'reward.read', partnerId, targetId: _id });
    const partner = await findPartner(models, partnerId);
    const { customer } = story.request;
    const mayCancel = canMove(reward, 'CANCEL') && hasPermission(ctx.state.viewer, 'reward.cancel');
    view(
      ctx,
      {
        title: `Reward of ${reward.externalOrderId}`,
        crumbs,
        lead: html`${badge(reward.mode)} ${badge(reward.status)} ${to('PARTNER', partnerId, partner.name)}`,
        mode: reward.mode,
        actions: mayCancel
          ? linkButton(`${adminPaths.REWARD}${_id}/cancel`, 'Cancel the reward …', 'secondary')
          : nothing,
      },
      section('What happens next', html`<p>${story.next.sentence}</p>`),
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
              reward.customerKey,
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
      await cancelled(ctx, reward),
      section('Its life', lifeOf(story.timeline, currency)),
      section('Why it has that many points', whyPoints(story.why, currency)),
    );
  });

  async function cancelled(ctx: PageContext<'operator'>, reward: RewardDoc) {
    if (reward.cancellation === null) return nothing;
    const { adminId, cancelledAt } = reward.cancellation;
    return section(
      'Cancelled by an operator',
      facts([
        ['By', toId(ctx, adminId)],
        ['When', time(new Date(cancelledAt))],
        ['Because', (await cancellationReasonOf(deps, reward)) ?? 'the customer was erased'],
      ]),
    );
  }

  const cancelling = {
    ...ofReward,
    path: `${ofReward.path}/cancel`,
    permission: 'reward.cancel',
    secondFactor: true,
  } as const;

  async function showCancel(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const { _id, externalOrderId, mode, ...reward } = await findReward(
      models,
      param(ctx, 'rewardId'),
    );
    const path = adminPaths.REWARD + _id;
    view(
      ctx,
      { title: 'Cancel the reward', crumbs: [...crumbs, [externalOrderId, path]], mode },
      section(
        'What it does',
        html`<p>The ${number(reward.points)} points can be claimed no more, and ${money(reward.liabilityCents, reward.currency)} that may be reserved go back to the funds. It cannot be taken back.</p>`,
      ),
      html`<div class="card narrow">${form(
        ctx,
        { action: `${path}/cancel`, submit: 'Cancel the reward', filled, isDangerous: true },
        textArea({
          ...{ name: 'reason', label: 'Why', filled, isRequired: true, maxLength: 500, rows: 4 },
          hint: 'Kept sealed: only operators read it.',
        }),
      )}</div>`,
    );
  }

  routes.page(cancelling, (ctx) => showCancel(ctx));
  routes.action(cancelling, {
    schema: cancelSchema,
    async act(ctx, { reason }) {
      const { _id: targetId, partnerId } = await findReward(models, param(ctx, 'rewardId'));
      const { actorId } = ctx.state.viewer;
      await deed(
        deps,
        ctx,
        { action: 'reward.cancel', targetId, partnerId, once: `by ${actorId}` },
        () => cancelReward(deps, targetId, reason, actorId),
      );
      redirect(ctx, adminPaths.REWARD + targetId, 'The reward is cancelled.');
    },
    retry: showCancel,
  });
}
