import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { isOver, pointsNow, rewardStatuses, unclaimedStates } from '../../domain/reward.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { ListPage } from '../../models/store/paging.ts';
import { maxCsvRows } from '../../platform/csv.ts';
import { readReceipt } from '../../views/receipt.ts';
import {
  maxSummed,
  partnerRewardsCsv,
  type RewardTotal,
  readPartnerRewards,
  readRewardTotals,
} from '../../views/rewards.ts';
import { type Columns, emptyState, linkButton, section, table } from '../components/components.ts';
import { type Html, html, money, nothing, plural, time } from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { rewardBadge, rewardWords } from '../components/reward-badge.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { type Asked, asked, choiceFilter, days, idFilter, ofOrder } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { sendReceipt } from '../send-receipt.ts';

/** A partner's orders, by their rewards. */
export function rewardPages(routes: RoutesOf<'partner'>): void {
  routes.page('/orders', showRewards);
  routes.page('/orders.csv', downloadRewards);
  routes.page('/rewards/:rewardId/receipt.json', downloadReceipt, {
    params: { rewardId: 'receipt' },
  });
}

async function showRewards(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const list = await asked(ctx, deps, rewardFilters);
  const filter = { ...list.filter, mode };
  const [rewards, totals] = await Promise.all([
    readPartnerRewards(deps, ownScope(ctx), filter, queryOf(ctx, pageSchema)),
    readRewardTotals(deps, ownScope(ctx), filter),
  ]);
  render(ctx, partnerRewardsPage(ctx, list, mode, rewards, totals));
}

async function downloadRewards(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { filter } = await asked(ctx, deps, rewardFilters);
  ctx.set('Content-Disposition', 'attachment; filename="orders.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = partnerRewardsCsv(deps, ownScope(ctx), { ...filter, mode: modeOf(ctx) });
}

const noReceipt =
  'There is no receipt yet. The ledger’s new entries are signed once a day: try again tomorrow.';

/** What proves the entries of a LIVE reward, to be checked with `partner-events verify`. */
async function downloadReceipt(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const receipt = await readReceipt(deps, ownScope(ctx), param(ctx, 'rewardId'));
  if (receipt === null) throw new ServiceError('NOT_FOUND', noReceipt);
  sendReceipt(ctx, receipt);
}

export const rewardFilters = {
  status: choiceFilter('State', rewardStatuses, rewardWords),
  externalOrderId: ofOrder(),
  ...days,
  customerId: { ...idFilter('customer', 'Customer', 'cus_…'), isLinked: true as const },
};

/** The list, its totals, and its CSV. */
function partnerRewardsPage(
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
export const customerLink = (customerId: string): Html =>
  html`<a href="/customers/${customerId}"><code>…${customerId.slice(-6)}</code></a>`;
