import { type Mode, modes } from '../../domain/mode.ts';
import { isOver, pointsNow, rewardStatuses, unclaimedStates } from '../../domain/reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { Page as ListPage } from '../../models/store/paging.ts';
import { maxCustomerRewards, type PartnerCustomer } from '../../views/customers.ts';
import { maxCsvRows, maxSummed, type RewardTotal } from '../../views/rewards.ts';
import {
  badge,
  type Columns,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
} from '../components/components.ts';
import { customerSearch } from '../components/customer-search.ts';
import { type Html, html, money, nothing, number, plural, time } from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { redemptionTable, underReview } from '../components/redemptions.ts';
import { rewardBadge, rewardWords } from '../components/reward-badge.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { type Asked, choice, days, idOf, ofOrder } from '../lists/filters.ts';
import { list } from '../lists/list.ts';

const crumbs = () => [['Customers', '/customers']] as const;

export const rewardFilters = {
  status: choice('State', rewardStatuses, rewardWords),
  externalOrderId: ofOrder(),
  ...days,
  customerId: { ...idOf('customer', 'Customer', 'cus_…'), isLinked: true as const },
};

/** The list, its totals, and its CSV. */
export function partnerRewardsPage(
  ctx: PageContext<'partner'>,
  asked: Asked,
  mode: Mode,
  { items, nextCursor }: ListPage<RewardDoc>,
  totals: readonly RewardTotal[],
): Page {
  return page(
    {
      title: 'Orders',
      lead: 'Each order with the points that it earned, newest first. Days are UTC.',
      actions: linkButton('/reconciliation', 'Compare with your orders', 'secondary'),
    },
    list(ctx, {
      asked,
      caption: 'Orders',
      columns: {
        Order: (one) => idLink(one._id, one.externalOrderId),
        ...rewardColumns(),
        Customer: (one) => customerLink(one.customerId),
      },
      rows: items,
      empty: emptyState(
        `No ${mode} orders yet`,
        'Each accepted purchase is one within seconds.',
        mode === 'TEST' && ctx.state.mayOpen('/console')
          ? linkButton('/console', 'Open test console')
          : nothing,
      ),
      nextCursor,
      download: { path: '/orders.csv', maxRows: maxCsvRows },
      above: totals.length === 0 ? nothing : totalsPart(totals),
    }),
  );
}

export const rewardColumns = (): Columns<RewardDoc> => ({
  State: ({ state }) => rewardBadge(state),
  Amount: { number: ({ arithmetic, currency }) => money(arithmetic.subtotalCents, currency) },
  'Points now': { number: pointsNow },
  Cost: { number: (one) => (isOver(one) ? none : money(one.liabilityCents, one.currency)) },
  Purchased: ({ createdAt }) => time(createdAt),
  'Claim by': (one) => (unclaimedStates.includes(one.state) ? time(one.claimExpiresAt) : none),
});

const none = html`<span class="muted">–</span>`;

function totalsPart(totals: readonly RewardTotal[]): Html {
  const counted = totals.reduce((sum, one) => sum + one.rewards, 0);
  return section(
    'Totals',
    table({
      caption: 'Totals by state',
      columns: {
        State: ({ state }) => rewardBadge(state),
        Orders: { number: ({ rewards }) => rewards },
        Points: { number: ({ points }) => points },
        Cost: { number: ({ cents, currency }) => money(cents, currency) },
      },
      rows: totals,
    }),
    html`<p class="muted after">${plural(counted, 'order', 'orders')} ${counted < maxSummed ? 'in total' : 'are added up here; for more, choose fewer days'}. Cancelled and expired ones are counted with what they had, which went back to your funds.</p>`,
  );
}

/** Shows the end of the id, which is enough to tell customers apart. */
const customerLink = (customerId: string): Html =>
  html`<a href="/customers/${customerId}"><code>…${customerId.slice(-6)}</code></a>`;

export function findPartnerCustomerPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: 'Customers',
      lead: 'Find a customer by any email address or phone number that your shop reported.',
    },
    customerSearch(ctx, filled),
  );
}

/** A customer's balance and rewards. */
export function partnerCustomerPage(
  {
    customerId,
    email,
    phone,
    points,
    spendablePoints,
    owedCents,
    rewards,
    redemptions,
  }: PartnerCustomer,
  currency: string,
): Page {
  const [newest] = rewards;
  const isLive = rewards.some(({ mode }) => mode === 'LIVE');
  const contact = [email, phone].filter(Boolean).join(', ');
  return page(
    {
      title: contact === '' ? 'Erased customer' : contact,
      crumbs: crumbs(),
      ...(contact === '' && {
        lead: 'Their personal data was erased, so nothing can be sent to them. Whoever gives the same email or phone again is this customer, with these points.',
      }),
    },
    section(
      'At a glance',
      facts([
        ...(isLive
          ? ([
              ['LIVE points', number(points)],
              ...underReview(points, spendablePoints),
              ['Worth', money(owedCents, currency)],
            ] as const)
          : []),
        ['Last purchase', time(newest?.createdAt)],
        ['Customer ID', code(customerId, { canCopy: true })],
      ]),
    ),
    section(
      'Orders',
      table({
        caption: 'Newest orders',
        columns: {
          Order: (one) => idLink(one._id, one.externalOrderId),
          Mode: ({ mode }) => badge(mode),
          ...rewardColumns(),
        },
        rows: rewards,
      }),
      rewards.length < maxCustomerRewards
        ? nothing
        : html`<p class="after">${modes.map((mode) => html`<a href="/orders?mode=${mode}&amp;customer=${customerId}">All ${mode} orders</a> `)}</p>`,
    ),
    section(
      'Where the points went',
      redemptionTable(redemptions, (id) => `/redemptions/${id}`, { withMode: true }),
    ),
    contact === '' || newest === undefined
      ? nothing
      : section(
          'If they ask you',
          html`<p><strong>They lost the message with their points.</strong> <a href="/orders/${newest._id}">Their newest order</a> sends it again, to the contact that they gave.</p>
<p><strong>They want their data erased.</strong> Send us their customer ID: our operators erase their email, their phone and what you reported with their orders, everywhere and for good. Points, amounts and order numbers remain. Erase what your shop keeps, too.</p>`,
        ),
  );
}

/** Several customers with one phone, such as a family. */
export const sharingCustomersPage = (customerIds: readonly string[]): Page =>
  page(
    {
      title: 'Customers with this phone',
      lead: 'Each gave another email with it.',
      crumbs: crumbs(),
    },
    html`<section class="card">${table({
      caption: 'Customers',
      columns: { Customer: (customerId) => customerLink(customerId) },
      rows: customerIds,
    })}</section>`,
  );
