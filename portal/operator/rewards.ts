import Joi from 'joi';
import type { Permission } from '../../domain/operators.ts';
import {
  canMove,
  expiredAt,
  isCorrectable,
  isFunded,
  isReinstatable,
  rewardStatuses,
  statusOf,
} from '../../domain/reward.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import {
  cancelReward,
  correctContactOfReward,
  endHold,
  letOthersPass,
  reinstateReward,
} from '../../operations/rewards.ts';
import type { Config } from '../../platform/config.ts';
import { type OrderDetails, readOrder } from '../../views/event.ts';
import { readPartner } from '../../views/partners.ts';
import {
  cancellationReasonOf,
  type Rewards,
  readAnyReward,
  readRewards,
} from '../../views/rewards.ts';
import {
  badge,
  code,
  type Definition,
  definitions,
  emptyState,
  linkButton,
  section,
} from '../components/components.ts';
import { contactCorrection } from '../components/contact-correction.ts';
import { field, form, textArea } from '../components/form.ts';
import {
  type Html,
  html,
  minuteOfIso,
  money,
  nothing,
  pointsWords,
  time,
} from '../components/format.ts';
import { operatorPaths, to, toId, toIfOpen, workflowLink } from '../components/links.ts';
import { approvalNotice } from '../components/money.ts';
import { endHoldButton, letPassButton, placeWords } from '../components/queue.ts';
import { tableOfRedemptions } from '../components/redemptions.ts';
import { rewardBadge, rewardWords } from '../components/reward-badge.ts';
import { whyPoints } from '../components/rules.ts';
import { deliveryTable, shortKey } from '../components/tables.ts';
import { timelineList } from '../components/timeline.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema, reasonField, referenceField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import {
  type Asked,
  asked,
  choiceFilter,
  days,
  idFilter,
  ofMode,
  ofOrder,
  ofPartner,
} from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { orderMetrics, refundsPart, reportPart, requestsPart } from '../partner/order.ts';
import { rewardColumns } from '../partner/orders.ts';
import { nameIds } from '../routing/name-ids.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { earnsWords } from '../words/rule-words.ts';

const path = '/admin/rewards/:rewardId';

/** The rewards of all partners, and the page of a reward. */
export function operatorRewardPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/rewards', showRewards);
  routes.page(path, showReward);
  routes.operation(`${path}/cancel`, cancelReward, {
    page: showCancel,
    form: Joi.object({ reason: reasonField.required() }),
    to: path,
    said: 'Reward cancelled.',
  });
  routes.operation(`${path}/let-pass`, letOthersPass, {
    on: showReward,
    to: path,
    said: 'Later orders no longer wait for this one.',
  });
  routes.operation(`${path}/end-hold`, endHold, {
    on: showReward,
    to: path,
    said: 'Hold ended.',
  });
  routes.operation(`${path}/contact`, correctContactOfReward, {
    page: showCorrect,
    form: contactSchema,
    input: ({ contact }) => contactOfText(contact),
    to: path,
    said: 'Contact corrected.',
  });
  routes.operation(`${path}/reinstate`, reinstateReward, {
    page: showReinstate,
    form: Joi.object({ reference: referenceField.required() }),
    to: path,
    said: 'Reward reinstated.',
  });
}

async function showRewards(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, anyRewardFilters);
  const { partnerId = null, customerId } = list.filter;
  if (customerId !== undefined && list.unmatched.length === 0) {
    const read = { partnerId, targetId: customerId };
    await auditRead(deps, actorOf(ctx), { action: 'customer.read', ...read });
  }
  const rewards = await readRewards(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, rewardsPage(ctx, list, rewards));
}

async function showReward(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const targetId = param(ctx, 'rewardId');
  const order = orNotFound(await readOrder(deps, null, targetId));
  const { purchase, reward } = order;
  const { partnerId } = purchase;
  await auditRead(deps, actorOf(ctx), { action: 'reward.read', partnerId, targetId });
  const cancelledFor = reward?.cancellation ? await cancellationReasonOf(deps, reward) : null;
  await nameIds(ctx, deps, [purchase.integrationId, reward?.cancellation?.operatorId]);
  const partner = await readPartner(deps, partnerId);
  const { config } = deps;
  render(ctx, anyOrderPage(ctx, order, { partner, config, cancelledFor, nowMs: deps.now() }));
}

async function showCancel(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await readAnyReward(deps, param(ctx, 'rewardId'));
  const { mode, state } = reward;
  const isForTwo = needsApproval(deps.config, cancelReward, { mode, status: statusOf(state) });
  render(ctx, cancelRewardPage(ctx, reward, { needsApproval: isForTwo, filled }));
}

async function showCorrect(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await readAnyReward(deps, param(ctx, 'rewardId'));
  const isForTwo = needsApproval(deps.config, correctContactOfReward, reward);
  render(ctx, correctContactPage(ctx, reward, { needsApproval: isForTwo, filled }));
}

async function showReinstate(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await readAnyReward(deps, param(ctx, 'rewardId'));
  const isForTwo = needsApproval(deps.config, reinstateReward, reward);
  render(ctx, reinstateRewardPage(ctx, reward, { needsApproval: isForTwo, filled }));
}

const crumbs = () => [['Orders', '/admin/rewards']] as const;

export const anyRewardFilters = {
  status: choiceFilter('State', rewardStatuses, rewardWords),
  ...ofMode,
  ...ofPartner,
  externalOrderId: ofOrder(),
  customerId: idFilter('customer', 'Customer', 'cus_…'),
  ...days,
};

const rewardsPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor, nameOf }: Rewards,
): Page =>
  page(
    { title: 'Orders', lead: 'Each order with the points that it earned, newest first.' },
    list(ctx, {
      asked,
      caption: 'Orders',
      columns: {
        Order: (one) => to('REWARD', one._id, one.externalOrderId),
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        Mode: (one) => badge(one.mode),
        ...rewardColumns(),
      },
      rows: items,
      empty: emptyState('No orders', 'Each accepted purchase is one within seconds.'),
      nextCursor,
      exportTo: '/admin/rewards/export',
    }),
  );

/** An order of any partner, as the partner sees it, with what operators know and can do. */
function anyOrderPage(
  ctx: PageContext<'operator'>,
  order: OrderDetails,
  {
    partner,
    config,
    cancelledFor,
    nowMs,
  }: {
    partner: PartnerDoc;
    config: Pick<Config, 'temporal'>;
    cancelledFor: string | null;
    nowMs: number;
  },
): Page {
  const { purchase, reward, redemptions } = order;
  const { mode } = purchase;
  const currency = purchase.purchase?.currency ?? partner.currency;
  return page(
    {
      title: `Order ${purchase.externalOrderId}`,
      crumbs: crumbs(),
      lead: html`${badge(mode)} ${reward ? rewardBadge(reward.state) : badge('PENDING', 'Start')} ${to('PARTNER', partner._id, partner.name)}`,
      mode,
      ...(reward && { actions: actionLinks(ctx, reward, nowMs) }),
    },
    orderMetrics(order, currency),
    section(
      'What happens next',
      html`<p>${order.next.sentence(minuteOfIso)}</p>`,
      reward && queuePart(ctx, reward, order.place),
      reward && order.isOnHold && hasPermission(ctx.state.viewer, 'reward.end-hold')
        ? endHoldButton(ctx, `${operatorPaths.REWARD}${reward._id}/end-hold`)
        : nothing,
    ),
    html`<div class="grid-2">${section('Timeline', timelineList(order.timeline, currency))}<div class="stack">${[
      section(
        'Reward',
        definitions([
          ...(reward ? amountFacts(reward) : []),
          ...referenceFacts(ctx, order, config),
        ]),
      ),
      section('How the points were calculated', whyPoints(order.why, currency)),
      reward && cancelledSection(ctx, reward, cancelledFor),
    ]}</div></div>`,
    refundsPart(order, currency),
    redemptions.length === 0
      ? nothing
      : section(
          'Paid with points',
          tableOfRedemptions(redemptions, (id) => `${operatorPaths.REDEMPTION}${id}`),
        ),
    section(
      'Webhooks',
      deliveryTable(order.deliveries, 'Not sent: the partner had no endpoint for it.'),
    ),
    section(
      'Requests',
      requestsPart(order.requests, ({ requestId }) => operatorPaths.REQUEST + requestId),
    ),
    html`<details class="card fold"><summary class="fold-head"><h2>Requests and responses</h2></summary>${order.reports.map((report) => reportPart(report, purchase.purchase?.delivery === 'PARTNER'))}</details>`,
  );
}

/** What holds up a reward that waits for funds. */
function queuePart(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  place: OrderDetails['place'],
): Html {
  if (place === null) return nothing;
  const { _id, currency, externalOrderId } = reward;
  const words = { currency, pathOf: (id: string) => operatorPaths.REWARD + id };
  const mayLet = !place.isPassed && hasPermission(ctx.state.viewer, 'reward.let-pass');
  return html`<p>${placeWords(reward, place, words)}</p>${
    mayLet && place.holder?.rewardId === _id
      ? letPassButton(ctx, { action: `${operatorPaths.REWARD}${_id}/let-pass`, externalOrderId })
      : nothing
  }`;
}

/** What the operator can do about the reward now. */
function actionLinks(
  { state: { viewer } }: PageContext<'operator'>,
  reward: RewardDoc,
  nowMs: number,
): Html {
  const at = new Date(nowMs);
  const links: [path: string, text: string, permission: Permission, isPossible: boolean][] = [
    ['contact', 'Correct contact …', 'reward.correct-contact', isCorrectable(reward, at)],
    ['cancel', 'Cancel reward …', 'reward.cancel', canMove(reward.state, 'CANCEL')],
    ['reinstate', 'Reinstate …', 'reward.reinstate', isReinstatable(reward, at)],
  ];
  return html`${links.flatMap(([path, text, permission, isPossible]) =>
    isPossible && hasPermission(viewer, permission)
      ? linkButton(`${operatorPaths.REWARD}${reward._id}/${path}`, text, 'secondary')
      : [],
  )}`;
}

const amountFacts = (reward: RewardDoc): Definition[] => [
  ['Funded', isFunded(reward.state) ? 'yes' : 'no'],
  reward.state === 'EXPIRED'
    ? ['Expired', time(expiredAt(reward))]
    : ['Claim by', time(reward.claimExpiresAt)],
  ...(reward.claimableFrom ? [['Claim from', time(reward.claimableFrom)] as Definition] : []),
];

function referenceFacts(
  ctx: PageContext<'operator'>,
  { purchase, reward, contact, rule, integrationName, apiKey }: OrderDetails,
  config: Pick<Config, 'temporal'>,
): Definition[] {
  const { partnerId, mode, rewardId, workflowId, integrationId, credentialId } = purchase;
  const contacts = [contact.email, contact.phone].filter(Boolean).join(', ');
  const customerId = reward?.customerId ?? purchase.purchase?.customerId;
  return [
    ['Order date', time(purchase.occurredAt, 'not provided')],
    ['Received', time(purchase.receivedAt)],
    ['Customer', customerId === undefined ? contacts : to('CUSTOMER', customerId, contacts)],
    ['Review', reward?.review ? to('REVIEW', reward.review.reviewId, 'newest') : 'none'],
    [
      'Ledger',
      html`<a href="/admin/ledger?partner=${partnerId}&amp;reward=${rewardId}${mode === 'TEST' ? '&mode=TEST' : ''}">transactions</a>`,
    ],
    ['Rule', toIfOpen(ctx, 'RULE', rule.ruleId, earnsWords(rule))],
    ['Integration', toIfOpen(ctx, 'INTEGRATION', integrationId, integrationName)],
    ['Key', toIfOpen(ctx, 'CREDENTIAL', credentialId, apiKey && shortKey(apiKey))],
    ['Workflow', workflowLink(config, workflowId)],
    ['ID', code(rewardId, { canCopy: true })],
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
    'Cancelled by an operator',
    definitions([
      ['By', toId(ctx, operatorId)],
      ['When', time(new Date(cancelledAt))],
      ['Reason', cancelledFor ?? 'the customer was erased'],
    ]),
  );
}

interface ActionPageOptions {
  /** Whether the action needs a second operator. */
  needsApproval: boolean;
  filled: Filled;
}

function cancelRewardPage(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  { needsApproval, filled }: ActionPageOptions,
): Page {
  const { _id, externalOrderId, mode } = reward;
  const path = operatorPaths.REWARD + _id;
  return page(
    {
      title: 'Cancel reward',
      crumbs: [...crumbs(), [externalOrderId, path]],
      mode,
    },
    section(
      'What it does',
      html`<p>Nobody can claim the ${pointsWords(reward.points)} any more, and any reserved amount, up to ${money(reward.liabilityCents, reward.currency)}, goes back to the funding. This cannot be undone.</p>`,
    ),
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      {
        action: `${path}/cancel`,
        submit: 'Cancel reward',
        filled,
        isDangerous: true,
      },
      textArea({
        name: 'reason',
        label: 'Reason',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: 'Stored encrypted: only operators can read it.',
      }),
    )}</div>`,
  );
}

const correctContactPage = (
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  { needsApproval, filled }: ActionPageOptions,
): Page =>
  page(
    {
      title: 'Correct contact',
      crumbs: [...crumbs(), [reward.externalOrderId, operatorPaths.REWARD + reward._id]],
      mode: reward.mode,
    },
    needsApproval ? approvalNotice() : nothing,
    contactCorrection(ctx, reward, filled),
  );

function reinstateRewardPage(
  ctx: PageContext<'operator'>,
  reward: RewardDoc,
  { needsApproval, filled }: ActionPageOptions,
): Page {
  const { _id, externalOrderId, mode } = reward;
  const path = operatorPaths.REWARD + _id;
  const worth = money(reward.liabilityCents, reward.currency);
  return page(
    {
      title: 'Reinstate reward',
      crumbs: [...crumbs(), [externalOrderId, path]],
      mode,
    },
    section(
      'What it does',
      html`<p>The refund was a mistake: the customer can claim the ${pointsWords(reward.points)} again until ${time(reward.claimExpiresAt)}, and is sent the claim link again. ${worth} is reserved anew; if the funding does not suffice, the reward waits for a top-up. The refund stays on record.</p>`,
    ),
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: `${path}/reinstate`, submit: 'Reinstate reward', filled },
      field({
        name: 'reference',
        label: 'Reference',
        filled,
        isRequired: true,
        maxLength: 160,
        hint: 'Such as the number of the shop’s request. It is kept in the audit log: no personal data.',
      }),
    )}</div>`,
  );
}
