import { modes } from '../../../domain/mode.ts';
import { rewardStatuses } from '../../../domain/reward-states.ts';
import type { RewardDoc } from '../../../models/schemas/reward.ts';
import type { Page as ListPage } from '../../../models/store/paging.ts';
import {
  maxCustomerRewards,
  type PartnerCustomer,
} from '../../../models/views/partner-customer.ts';
import {
  maxCsvRows,
  type PartnerRewardFilter,
  type RewardTotal,
} from '../../../models/views/partner-rewards.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../components.ts';
import { dayFilters, daysOf } from '../date-presets.ts';
import { choicesOf, filterBar, idFilterField, unmatchedNote } from '../filters.ts';
import { field, form } from '../form.ts';
import { money, number, numberText, time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { idLink } from '../id-link.ts';
import { pager } from '../pager.ts';
import { savedViews } from '../saved-views.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [[say('rewards.rewards'), '/rewards']] as const;

/** The list, its totals, and its CSV. */
export function partnerRewardsPage(
  ctx: PageContext<'partner'>,
  filter: PartnerRewardFilter,
  { items, nextCursor }: ListPage<RewardDoc>,
  totals: readonly RewardTotal[],
  nowMs: number,
): Page {
  const { customerId } = filter;
  const counted = totals.reduce((sum, one) => sum + one.rewards, 0);
  return page(
    {
      title: say('rewards.partnerRewards.title'),
      lead: say('rewards.partnerRewards.lead'),
      actions: linkButton('/find-customer', say('rewards.findACustomer'), 'secondary'),
    },
    filterBar(ctx, [
      { name: 'status', label: say('common.state'), choices: choicesOf(rewardStatuses, wordsOf) },
      { name: 'order', label: say('common.order') },
      ...dayFilters(),
      ...(customerId === undefined
        ? []
        : [idFilterField('customer', say('common.customer'), 'cus_…')]),
    ]),
    html`<div id="list">${savedViews(ctx, 'rewards')}${daysOf(ctx, nowMs)}${totals.length === 0 ? nothing : totalsPart(totals, counted)}
<section class="card">${unmatchedNote(ctx)}${table({
      caption: say('rewards.partnerRewards.caption'),
      columns: [
        {
          heading: say('common.order'),
          cell: (one) => idLink(one.purchaseEventId, one.externalOrderId),
        },
        ...rewardColumns(),
        { heading: say('common.customer'), cell: (one) => customerLink(one.customerId) },
      ],
      rows: items,
      empty: emptyOf(ctx, filter),
    })}${
      items.length === 0
        ? nothing
        : html`<div class="log-foot"><p><a href="${csvPath(ctx.query)}" download>${say('rewards.downloadAsCsv')}</a> <span class="muted">${say('rewards.partnerRewards.text', { maxCsvRows: numberText(maxCsvRows) })}</span></p>${pager(ctx, nextCursor)}</div>`
    }</section></div>`,
  );
}

const rewardColumns = () => [
  { heading: say('common.state'), cell: ({ status }: RewardDoc) => badge(status) },
  {
    heading: say('common.points'),
    cell: ({ points }: RewardDoc) => number(points),
    isNumber: true,
  },
  {
    heading: say('rewards.cost'),
    cell: ({ liabilityCents, currency }: RewardDoc) => money(liabilityCents, currency),
    isNumber: true,
  },
  { heading: say('rewards.purchased'), cell: ({ createdAt }: RewardDoc) => time(createdAt) },
  {
    heading: say('rewards.claimUntil'),
    cell: ({ claimExpiresAt }: RewardDoc) => time(claimExpiresAt),
  },
];

function totalsPart(totals: readonly RewardTotal[], counted: number): Html {
  return section(
    say('rewards.section.totals'),
    table({
      caption: say('rewards.totals.caption'),
      columns: [
        { heading: say('common.state'), cell: ({ status }) => badge(status) },
        { heading: say('rewards.rewards'), cell: ({ rewards }) => number(rewards), isNumber: true },
        { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
        {
          heading: say('rewards.cost'),
          cell: ({ cents, currency }) => money(cents, currency),
          isNumber: true,
        },
      ],
      rows: totals,
      empty: nothing,
    }),
    html`<p class="muted after">${say('rewards.totals.text', { counted })}</p>`,
  );
}

/** Shows the end of the id, which is enough to tell customers apart. */
const customerLink = (customerId: string): Html =>
  html`<a href="/customers/${customerId}"><code>…${customerId.slice(-6)}</code></a>`;

function csvPath(query: PageContext['query']): string {
  const { cursor: _, ...kept } = query;
  const given = Object.entries(kept).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
  );
  return `/rewards.csv?${new URLSearchParams(Object.fromEntries(given))}`;
}

function emptyOf(
  ctx: PageContext<'partner'>,
  { mode, status, externalOrderId, customerId, fromDay, toDay }: PartnerRewardFilter,
): Html {
  const isNarrowed = [status, externalOrderId, customerId, fromDay, toDay].some(Boolean);
  if (isNarrowed) {
    return emptyState(
      say('rewards.empty.empty.title'),
      say('rewards.empty.empty.text', { mode }),
      linkButton(`/rewards?mode=${mode}`, say('rewards.showAllRewards', { mode }), 'secondary'),
    );
  }
  return emptyState(
    say('rewards.empty.empty.title.rewardsYet', { mode }),
    say('rewards.empty.empty.text.eachAccepted'),
    mode === 'TEST' && ctx.state.mayOpen('/console')
      ? linkButton('/console', say('rewards.empty.button'))
      : nothing,
  );
}

export function findPartnerCustomerPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: say('rewards.findPartnerCustomer.title'),
      crumbs: crumbs(),
      lead: say('rewards.findPartnerCustomer.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('rewards.findPartnerCustomer.submit'), filled },
      field({
        name: 'contact',
        label: say('rewards.contact'),
        filled,
        isRequired: true,
        maxLength: 255,
        autocomplete: 'off',
        hint: say('rewards.contact.hint'),
      }),
    )}</div>`,
  );
}

/** A customer's balance and rewards. */
export function partnerCustomerPage(
  { customerId, email, phone, points, owedCents, rewards }: PartnerCustomer,
  currency: string,
): Page {
  const [newest] = rewards;
  const isLive = rewards.some(({ mode }) => mode === 'LIVE');
  const contact = [email, phone].filter(Boolean).join(', ');
  return page(
    {
      title: say('rewards.partnerCustomer.title'),
      crumbs: crumbs(),
      lead: contact === '' ? say('rewards.partnerCustomer.lead') : contact,
    },
    section(
      say('rewards.section.atAGlance'),
      facts([
        ...(isLive
          ? ([
              [say('rewards.livePoints'), number(points)],
              [say('rewards.worth'), money(owedCents, currency)],
            ] as const)
          : []),
        [say('rewards.lastPurchase'), time(newest?.createdAt)],
        [say('rewards.customerId'), code(customerId, { canCopy: true })],
      ]),
    ),
    section(
      say('rewards.section.rewards'),
      table({
        caption: say('rewards.partnerCustomer.caption'),
        columns: [
          {
            heading: say('common.order'),
            cell: (one) => idLink(one.purchaseEventId, one.externalOrderId),
          },
          { heading: say('common.mode'), cell: ({ mode }) => badge(mode) },
          ...rewardColumns(),
        ],
        rows: rewards,
        empty: nothing,
      }),
      rewards.length < maxCustomerRewards
        ? nothing
        : html`<p class="after">${modes.map((mode) => html`<a href="/rewards?mode=${mode}&amp;customer=${customerId}">${say('rewards.allRewards', { mode })}</a> `)}</p>`,
    ),
  );
}
