import type { ReviewDoc } from '../../../../models/schemas/reviews.ts';
import type { NamedReviews, ReviewState } from '../../../../models/views/reviews.ts';
import type { PageContext } from '../../../context.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { badge, type Column, emptyState, table } from '../../components.ts';
import { dayFilters, daysOf } from '../../date-presets.ts';
import { emptyOf, type Filter, filterBar } from '../../filters.ts';
import { away, money, number } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { to } from '../../links.ts';
import { listFoot } from '../../list-foot.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { dueBadge } from '../../review.ts';
import { type Page, page } from '../../view.ts';

export function reviewsPage(
  ctx: PageContext<'operator'>,
  reviews: NamedReviews,
  { state, nextCursor, nowMs }: { state: ReviewState; nextCursor: string | null; nowMs: number },
): Page {
  const { items } = reviews;
  const mayChoose =
    state !== 'DECIDED' && items.length > 0 && hasPermission(ctx.state.viewer, 'review.decide');
  const list = reviewTable(reviews, emptyOf(ctx, noReviews(state)), { state, mayChoose, nowMs });
  return page(
    {
      title: 'Reviews',
      lead: 'Refunds of rewards that customers had already claimed, most urgent first. Days are those of the refund, in UTC.',
    },
    filterBar(ctx, [stateFilter(), modeFilter(), partnerFilter(ctx), ...dayFilters()]),
    html`<div id="list">${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${mayChoose ? html`<form method="get" action="/admin/reviews/decide">${list}<div class="after"><button type="submit" class="secondary">Decide selected …</button></div></form>` : list}${listFoot(ctx, 'reviews', items, nextCursor)}</section></div>`,
  );
}

const stateFilter = (): Filter => ({
  name: 'state',
  label: 'State',
  choices: [
    { value: 'OPEN', text: 'Open' },
    { value: 'MINE', text: 'Open, assigned to me' },
    { value: 'OVERDUE', text: 'Overdue' },
    { value: 'DECIDED', text: 'Decided' },
  ],
});

const modeFilter = (): Filter => ({
  name: 'mode',
  label: 'Mode',
  choices: [
    { value: '', text: 'Any' },
    { value: 'LIVE', text: 'LIVE' },
    { value: 'TEST', text: 'TEST' },
  ],
});

/** @param mayChoose whether rows can be selected, to decide several at once */
function reviewTable(
  reviews: NamedReviews,
  empty: Html,
  { state, mayChoose, nowMs }: { state: ReviewState; mayChoose: boolean; nowMs: number },
): Html {
  const { items, assignees } = reviews;
  return table({
    caption: 'Reviews',
    columns: [
      ...(mayChoose ? [{ heading: '', cell: tick }] : []),
      ...reviewColumns(reviews),
      { heading: 'Opened', cell: ({ openedAt }) => away(openedAt, nowMs) },
      {
        heading: 'Assigned to',
        cell: ({ assigneeId = '' }) => assignees.get(assigneeId) ?? assigneeId,
      },
      {
        heading: state === 'DECIDED' ? 'Decided' : 'Due',
        cell: (one) =>
          html`${dueBadge(one, nowMs)}${one.rounds > 1 ? html` <span class="muted">round ${one.rounds}</span>` : nothing}`,
      },
    ],
    rows: items,
    empty,
  });
}

const noReviews = (state: ReviewState): Html =>
  state === 'DECIDED'
    ? emptyState('No decided reviews', 'Decided reviews appear here, newest first.')
    : emptyState(
        state === 'MINE' ? 'Nothing is assigned to you' : 'Nothing to decide',
        'A refund of a claimed reward opens a review.',
      );

/** Columns that describe what a review is about. */
export const reviewColumns = ({
  nameOf,
  costOf,
}: Pick<NamedReviews, 'nameOf' | 'costOf'>): Column<ReviewDoc>[] => [
  { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
  {
    heading: 'Partner',
    cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
  },
  { heading: 'Mode', cell: (one) => badge(one.mode) },
  { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
  {
    heading: 'At stake',
    cell: ({ rewardId }) => costText(costOf.get(rewardId)),
    isNumber: true,
  },
];

export const costText = (
  cost: { liabilityCents: number; currency: string } | undefined,
): Html | undefined => cost && money(cost.liabilityCents, cost.currency);

const tick = ({ _id, externalOrderId }: ReviewDoc): Html =>
  html`<input type="checkbox" name="review" value="${_id}" aria-label="Select ${externalOrderId}">`;
