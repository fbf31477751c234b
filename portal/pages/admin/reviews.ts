import { maxReasonChars, type ReviewReason, reviewReasons } from '../../../domain/review.ts';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import type { NamedReviews, ReviewState } from '../../../models/views/reviews.ts';
import { whyLeft } from '../../../operations/reviews.ts';
import type { Config } from '../../../platform/config.ts';
import {
  badge,
  type Column,
  emptyState,
  linkButton,
  section,
  table,
} from '../../components/components.ts';
import {
  dayFilters,
  daysOf,
  emptyOf,
  type Filter,
  filterBar,
  partnerFilter,
  partnerFilterNote,
} from '../../components/filters.ts';
import { form, hidden, select, textArea } from '../../components/form.ts';
import { away, type Html, html, money, nothing, number, plural } from '../../components/format.ts';
import { to } from '../../components/links.ts';
import { dueBadge, reasonWords } from '../../components/money.ts';
import { listFoot } from '../../components/paging.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/access.ts';

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
  {
    heading: 'Refunded',
    cell: ({ _id }) => {
      const about = costOf.get(_id);
      return about && money(about.amountCents, about.currency);
    },
    isNumber: true,
  },
  { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
  {
    heading: 'At stake',
    cell: ({ _id }) => costText(costOf.get(_id)),
    isNumber: true,
  },
];

export const costText = (
  cost: { liabilityCents: number; currency: string } | undefined,
): Html | undefined => cost && money(cost.liabilityCents, cost.currency);

const tick = ({ _id, externalOrderId }: ReviewDoc): Html =>
  html`<input type="checkbox" name="review" value="${_id}" aria-label="Select ${externalOrderId}">`;

const title = () => 'Decide several reviews';
const back = '/admin/reviews';

/** The selected reviews, which of them one operator can decide, and the form for a joint decision. */
export function decideSeveralPage(
  ctx: PageContext<'operator'>,
  reviews: NamedReviews,
  { config, now, filled }: { config: Pick<Config, 'approvals'>; now: () => number; filled: Filled },
): Page {
  const { items, costOf } = reviews;
  const whyNot = (one: ReviewDoc) =>
    costOf.has(one._id) ? whyLeft(config, one) : 'NEEDS_APPROVAL';
  const decidable = items.filter((one) => whyNot(one) === null);
  const nowMs = now();
  return page(
    {
      title: title(),
      crumbs: [['Reviews', back]],
      lead: 'Each is decided separately, with the same reason.',
    },
    selectedSection(reviews, (one) => outcomeBadge(one, whyNot(one), nowMs)),
    decidable.length === 0
      ? nothing
      : html`<div class="card narrow">${decisionForm(ctx, { items, count: decidable.length, filled })}</div>`,
  );
}

function outcomeBadge(
  review: ReviewDoc,
  whyNot: 'NEEDS_APPROVAL' | 'DECIDED' | null,
  nowMs: number,
): Html {
  switch (whyNot) {
    case 'NEEDS_APPROVAL':
      return badge('PROPOSED', 'Not included: needs two operators');
    case 'DECIDED':
      return dueBadge(review, nowMs);
    case null:
      return badge('OPEN', 'Decided here');
  }
}

function selectedSection(reviews: NamedReviews, outcome: (review: ReviewDoc) => Html): Html {
  return section(
    'Selected',
    table({
      caption: 'Selected reviews',
      columns: [...reviewColumns(reviews), { heading: 'Outcome', cell: outcome }],
      rows: reviews.items,
      empty: emptyState(
        'No reviews selected',
        'Select the ones to decide in the list of reviews.',
        linkButton(back, 'Back to the reviews'),
      ),
    }),
  );
}

/** @param count how many of them can be decided here */
function decisionForm(
  ctx: PageContext<'operator'>,
  { items, count, filled }: { items: readonly ReviewDoc[]; count: number; filled: Filled },
): Html {
  return form(
    ctx,
    {
      action: ctx.path,
      filled,
      isDangerous: true,
      submit: `Decide ${plural(count, 'review', 'reviews')}`,
    },
    items.map(({ _id }) => hidden('review', _id)),
    select({
      name: 'because',
      label: 'Decision',
      filled,
      choices: [
        { value: '', text: 'Choose …' },
        ...choicesOf('UPHOLD', 'Uphold'),
        ...choicesOf('DISMISS', 'Dismiss'),
      ],
    }),
    textArea({
      name: 'reason',
      label: 'In your own words',
      filled,
      rows: 4,
      maxLength: maxReasonChars,
      hint: 'Stored encrypted: only operators can read it.',
    }),
  );
}

const choicesOf = (verdict: keyof typeof reviewReasons, verb: string) =>
  reviewReasons[verdict].map((reason: ReviewReason) => ({
    value: `${verdict} ${reason}`,
    text: `${verb}: ${reasonWords[reason]}`,
  }));
