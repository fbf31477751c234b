import type { ReviewDoc } from '../../../../models/schemas/review.ts';
import type { NamedReviews, ReviewState } from '../../../../models/views/reviews.ts';
import type { PageContext } from '../../../context.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
import { badge, type Column, emptyState, table } from '../../components.ts';
import { dayFilters, daysOf } from '../../date-presets.ts';
import { emptyOf, type Filter, filterBar } from '../../filters.ts';
import { away, money, number } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { to } from '../../links.ts';
import { listFoot } from '../../list-foot.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { dueBadge } from '../../review.ts';
import { savedViews } from '../../saved-views.ts';
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
      title: say('admin.reviews.title'),
      lead: say('admin.reviews.lead'),
    },
    filterBar(ctx, [stateFilter(), modeFilter(), partnerFilter(ctx), ...dayFilters()]),
    html`<div id="list">${savedViews(ctx, 'reviews')}${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${mayChoose ? html`<form method="get" action="/admin/reviews/decide">${list}<div class="after"><button type="submit" class="secondary">${say('admin.reviews.button')}</button></div></form>` : list}${listFoot(ctx, 'reviews', items, nextCursor)}</section></div>`,
  );
}

const stateFilter = (): Filter => ({
  name: 'state',
  label: say('common.state'),
  choices: [
    { value: 'OPEN', text: say('admin.reviews.choice.open') },
    { value: 'MINE', text: say('admin.reviews.choice.mine') },
    { value: 'OVERDUE', text: say('admin.reviews.choice.overdue') },
    { value: 'DECIDED', text: say('admin.reviews.choice.decided') },
  ],
});

const modeFilter = (): Filter => ({
  name: 'mode',
  label: say('common.mode'),
  choices: [
    { value: '', text: say('admin.reviews.any') },
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
    caption: say('admin.reviews.caption'),
    columns: [
      ...(mayChoose ? [{ heading: '', cell: tick }] : []),
      ...reviewColumns(reviews),
      { heading: say('admin.reviews.opened'), cell: ({ openedAt }) => away(openedAt, nowMs) },
      {
        heading: say('admin.reviews.assignedTo'),
        cell: ({ assigneeId = '' }) => assignees.get(assigneeId) ?? assigneeId,
      },
      {
        heading: state === 'DECIDED' ? say('common.decided') : say('common.due'),
        cell: (one) =>
          html`${dueBadge(one, nowMs)}${one.rounds > 1 ? html` <span class="muted">${say('admin.reviews.round', { rounds: one.rounds })}</span>` : nothing}`,
      },
    ],
    rows: items,
    empty,
  });
}

const noReviews = (state: ReviewState): Html =>
  state === 'DECIDED'
    ? emptyState(say('admin.reviews.empty.title'), say('admin.reviews.empty.text'))
    : emptyState(
        state === 'MINE'
          ? say('admin.reviews.empty.title.nothingAssigned')
          : say('admin.reviews.empty.title.nothingDecide'),
        say('admin.reviews.empty.text.refundClaimed'),
      );

/** Columns that describe what a review is about. */
export const reviewColumns = ({
  nameOf,
  costOf,
}: Pick<NamedReviews, 'nameOf' | 'costOf'>): Column<ReviewDoc>[] => [
  { heading: say('common.order'), cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
  {
    heading: say('common.partner'),
    cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
  },
  { heading: say('common.mode'), cell: (one) => badge(one.mode) },
  { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
  {
    heading: say('admin.reviews.atStake'),
    cell: ({ rewardId }) => costText(costOf.get(rewardId)),
    isNumber: true,
  },
];

export const costText = (
  cost: { liabilityCents: number; currency: string } | undefined,
): Html | undefined => cost && money(cost.liabilityCents, cost.currency);

const tick = ({ _id, externalOrderId }: ReviewDoc): Html =>
  html`<input type="checkbox" name="review" value="${_id}" aria-label="${say('admin.reviews.choose', { order: externalOrderId })}">`;
