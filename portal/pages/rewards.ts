import { modes } from '../../domain/mode.ts';
import { rewardStatuses } from '../../domain/reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { Page as ListPage } from '../../models/store/paging.ts';
import { maxCustomerRewards, type PartnerCustomer } from '../../models/views/customers.ts';
import {
  maxCsvRows,
  type PartnerRewardFilter,
  type RewardTotal,
} from '../../models/views/rewards.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import {
  choicesOf,
  dayFilters,
  daysOf,
  filterBar,
  idFilterField,
  unmatchedNote,
} from '../components/filters.ts';
import { field, form } from '../components/form.ts';
import {
  type Html,
  html,
  money,
  nothing,
  number,
  numberText,
  plural,
  time,
} from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { pager } from '../components/paging.ts';
import { redemptionTable } from '../components/redemptions.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';

const crumbs = () => [['Rewards', '/rewards']] as const;

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
      title: 'Rewards',
      lead: 'Your customers’ rewards, newest first. Days are UTC.',
      actions: linkButton('/find-customer', 'Find a customer', 'secondary'),
    },
    filterBar(ctx, [
      { name: 'status', label: 'State', choices: choicesOf(rewardStatuses, wordsOf) },
      { name: 'order', label: 'Order' },
      ...dayFilters(),
      ...(customerId === undefined ? [] : [idFilterField('customer', 'Customer', 'cus_…')]),
    ]),
    html`<div id="list">${daysOf(ctx, nowMs)}${totals.length === 0 ? nothing : totalsPart(totals, counted)}
<section class="card">${unmatchedNote(ctx)}${table({
      caption: 'Rewards',
      columns: [
        {
          heading: 'Order',
          cell: (one) => idLink(one.purchaseEventId, one.externalOrderId),
        },
        ...rewardColumns(),
        { heading: 'Customer', cell: (one) => customerLink(one.customerId) },
      ],
      rows: items,
      empty: emptyOf(ctx, filter),
    })}${
      items.length === 0
        ? nothing
        : html`<div class="log-foot"><p><a href="${csvPath(ctx.query)}" download>Download as CSV</a> <span class="muted">everything these filters show, up to ${numberText(maxCsvRows)} rows</span></p>${pager(ctx, nextCursor)}</div>`
    }</section></div>`,
  );
}

const rewardColumns = () => [
  { heading: 'State', cell: ({ status }: RewardDoc) => badge(status) },
  {
    heading: 'Points',
    cell: ({ points }: RewardDoc) => number(points),
    isNumber: true,
  },
  {
    heading: 'Cost',
    cell: ({ liabilityCents, currency }: RewardDoc) => money(liabilityCents, currency),
    isNumber: true,
  },
  { heading: 'Purchased', cell: ({ createdAt }: RewardDoc) => time(createdAt) },
  {
    heading: 'Claim by',
    cell: ({ claimExpiresAt }: RewardDoc) => time(claimExpiresAt),
  },
];

function totalsPart(totals: readonly RewardTotal[], counted: number): Html {
  return section(
    'Totals',
    table({
      caption: 'Totals by state',
      columns: [
        { heading: 'State', cell: ({ status }) => badge(status) },
        { heading: 'Rewards', cell: ({ rewards }) => number(rewards), isNumber: true },
        { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
        {
          heading: 'Cost',
          cell: ({ cents, currency }) => money(cents, currency),
          isNumber: true,
        },
      ],
      rows: totals,
      empty: nothing,
    }),
    html`<p class="muted after">${plural(counted, 'reward', 'rewards')} in total, as of a few seconds ago. Amounts reserved for cancelled and expired rewards went back to your funds.</p>`,
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
      'No results',
      `No ${mode} reward matches all of these filters.`,
      linkButton(`/rewards?mode=${mode}`, `Show all ${mode} rewards`, 'secondary'),
    );
  }
  return emptyState(
    `No ${mode} rewards yet`,
    'Each accepted purchase creates one within seconds.',
    mode === 'TEST' && ctx.state.mayOpen('/console')
      ? linkButton('/console', 'Open test console')
      : nothing,
  );
}

export function findPartnerCustomerPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: 'Find a customer',
      crumbs: crumbs(),
      lead: 'Enter the email address or phone number exactly as your shop reported it.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Find', filled },
      field({
        name: 'contact',
        label: 'Email or phone',
        filled,
        isRequired: true,
        maxLength: 255,
        autocomplete: 'off',
        hint: 'A customer reported with both is found by email.',
      }),
    )}</div>`,
  );
}

/** A customer's balance and rewards. */
export function partnerCustomerPage(
  { customerId, email, phone, points, owedCents, rewards, redemptions }: PartnerCustomer,
  currency: string,
): Page {
  const [newest] = rewards;
  const isLive = rewards.some(({ mode }) => mode === 'LIVE');
  const contact = [email, phone].filter(Boolean).join(', ');
  return page(
    {
      title: 'Customer',
      crumbs: crumbs(),
      lead: contact === '' ? 'Their personal data was erased.' : contact,
    },
    section(
      'At a glance',
      facts([
        ...(isLive
          ? ([
              ['LIVE points', number(points)],
              ['Worth', money(owedCents, currency)],
            ] as const)
          : []),
        ['Last purchase', time(newest?.createdAt)],
        ['Customer ID', code(customerId, { canCopy: true })],
      ]),
    ),
    section(
      'Rewards',
      table({
        caption: 'Newest rewards',
        columns: [
          {
            heading: 'Order',
            cell: (one) => idLink(one.purchaseEventId, one.externalOrderId),
          },
          { heading: 'Mode', cell: ({ mode }) => badge(mode) },
          ...rewardColumns(),
        ],
        rows: rewards,
        empty: nothing,
      }),
      rewards.length < maxCustomerRewards
        ? nothing
        : html`<p class="after">${modes.map((mode) => html`<a href="/rewards?mode=${mode}&amp;customer=${customerId}">All ${mode} rewards</a> `)}</p>`,
    ),
    section('Where the points went', redemptionTable(redemptions, { withMode: true })),
  );
}
