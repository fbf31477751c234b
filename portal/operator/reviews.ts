import Joi from 'joi';
import {
  maxReasonChars,
  type ReviewReason,
  reviewReasons,
  type Verdict,
} from '../../domain/review.ts';
import { pageSchema } from '../../http/query.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import {
  decideReview,
  decideSeveral,
  maxDecidedAtOnce,
  whyLeft,
} from '../../operations/reviews.ts';
import type { Config } from '../../platform/config.ts';
import {
  type NamedReviews,
  type ReviewQueuePlace,
  type ReviewState,
  readDecidedReviews,
  readOpenReviews,
  readReviewsById,
} from '../../views/reviews.ts';
import {
  badge,
  type Columns,
  emptyState,
  linkButton,
  section,
  table,
} from '../components/components.ts';
import { form, hidden, select, textArea } from '../components/form.ts';
import { away, type Html, html, money, nothing, plural } from '../components/format.ts';
import { to } from '../components/links.ts';
import { dueBadge, reasonWords } from '../components/money.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField } from '../forms/fields.ts';
import { emptyForm, type Filled, type Problems } from '../forms/submit.ts';
import { type Asked, asked, days, ofMode, ofPartner, viewFilter } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { actorOf } from '../operate.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

/** The cursor of the queue: due time and id of the last review on the page. */
const placeSchema = Joi.object<{ cursor?: ReviewQueuePlace }>({
  cursor: Joi.string()
    .max(256)
    .custom((text: string): ReviewQueuePlace => {
      const [, due = '', reviewId = ''] = /^(\d{1,15}) (rev_\w{26})$/.exec(decoded(text)) ?? [];
      if (reviewId === '') throw new Error('form');
      return { dueAt: new Date(Number(due)), reviewId };
    }),
});

const decoded = (text: string): string => Buffer.from(text, 'base64url').toString('utf8');

const encoded = ({ dueAt, _id }: ReviewDoc): string =>
  Buffer.from(`${dueAt.getTime()} ${_id}`).toString('base64url');

/** The review queue, most urgent first. */
export function operatorReviewPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/reviews', showReviews);
}

async function showReviews(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, reviewFilters);
  const { state, ...filter } = list.filter;
  if (state === 'DECIDED' || state === 'BY_POLICY') {
    const reviews = await readDecidedReviews(deps, filter, queryOf(ctx, pageSchema), state);
    return render(ctx, reviewsPage(ctx, list, reviews, reviews.nextCursor));
  }
  const assigneeId = state === 'MINE' ? ctx.state.viewer.actorId : undefined;
  const queue = { ...filter, assigneeId, isOverdue: state === 'OVERDUE' };
  const reviews = await readOpenReviews(deps, queue, queryOf(ctx, placeSchema).cursor);
  render(ctx, reviewsPage(ctx, list, reviews, reviews.last ? encoded(reviews.last) : null));
}

/** A verdict and its reason, as one choice. */
export interface Because {
  because: { decision: Verdict; reasonCode: ReviewReason };
  reason: string;
}

export const becauseFields = {
  because: Joi.string()
    .required()
    .custom((text: string, { error }) => {
      const [decision, reasonCode] = text.split(' ');
      const isOne = Object.entries(reviewReasons).some(
        ([verdict, reasons]) =>
          verdict === decision && reasons.some((one: ReviewReason) => one === reasonCode),
      );
      return isOne ? { decision, reasonCode } : error('any.only');
    })
    .messages({ 'any.required': 'Choose a decision.', 'any.only': 'Choose a decision.' }),
  reason: reasonField.default(''),
};

export const reasonIn = (reason: string) => (reason === '' ? {} : { reason });

export const requireReason = (
  _ctx: PageContext<'operator'>,
  _deps: PageDeps,
  { because, reason }: Partial<Because>,
): Problems =>
  because?.reasonCode === 'OTHER' && reason === ''
    ? { reason: 'Describe the reason in your own words.' }
    : {};

const severalPath = '/admin/reviews/decide';

interface Several extends Because {
  review: string[];
}

const idsField = Joi.array()
  .items(Joi.string().pattern(/^rev_[0-9A-Z]{26}$/))
  .single()
  .max(maxDecidedAtOnce);

const chosenSchema = Joi.object<Pick<Several, 'review'>>({ review: idsField.default([]) });

const severalSchema = Joi.object<Several>({
  review: idsField.min(1).required(),
  ...becauseFields,
});

/** Decides several reviews selected in the queue at once. */
export function operatorReviewDecisionPages(routes: RoutesOf<'operator'>): void {
  routes.page(severalPath, showSeveral, { operation: decideReview });
  routes.action(
    severalPath,
    { schema: severalSchema, check: requireReason, act: decide, retry: showSeveral },
    { operation: decideReview },
  );
}

async function showSeveral(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const sent = idsField.validate(filled.values.review ?? queryOf(ctx, chosenSchema).review);
  const ids: string[] = sent.error ? [] : sent.value;
  render(ctx, decideSeveralPage(ctx, await readReviewsById(deps, ids), { ...deps, filled }));
}

async function decide(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { review: ids, because, reason }: Several,
): Promise<void> {
  const decision = { ...because, ...reasonIn(reason) };
  const decided = await decideSeveral(deps, actorOf(ctx), ids, decision);
  redirect(
    ctx,
    `${severalPath}?${ids.map((id) => `review=${id}`).join('&')}`,
    `${decided} of ${ids.length} refunds ${decided === 1 ? 'is' : 'are'} ${because.decision === 'UPHOLD' ? 'upheld' : 'dismissed'}.`,
    decided < ids.length ? 'bad' : 'good',
  );
}

export const reviewFilters = {
  state: viewFilter('State', {
    OPEN: 'Open',
    MINE: 'Open, assigned to me',
    OVERDUE: 'Overdue',
    BY_POLICY: 'Decided by policy',
    DECIDED: 'Decided',
  }),
  ...ofMode,
  ...ofPartner,
  ...days,
};

function reviewsPage(
  ctx: PageContext<'operator'>,
  asked: Asked<typeof reviewFilters>,
  reviews: NamedReviews,
  nextCursor: string | null,
): Page {
  const { items, assignees } = reviews;
  const { nowMs, filter } = asked;
  const isDecided = filter.state === 'DECIDED' || filter.state === 'BY_POLICY';
  const mayChoose = !isDecided && hasPermission(ctx.state.viewer, 'review.decide');
  return page(
    {
      title: 'Reviews',
      lead: 'Refunds of rewards that customers had already claimed, most urgent first. Days are those of the refund, in UTC.',
    },
    list(ctx, {
      asked,
      caption: 'Reviews',
      columns: {
        '': mayChoose && tick,
        ...reviewColumns(reviews),
        Opened: ({ openedAt }) => away(openedAt, nowMs),
        'Assigned to': ({ assigneeId = '' }) => assignees.get(assigneeId) ?? assigneeId,
        [isDecided ? 'Decided' : 'Due']: (one) =>
          html`${dueBadge(one, nowMs)}${one.rounds > 1 ? html` <span class="muted">round ${one.rounds}</span>` : nothing}`,
      },
      rows: items,
      empty: noReviews(filter.state),
      nextCursor,
      exportTo: '/admin/reviews/export',
      around: (rows) =>
        mayChoose
          ? html`<form method="get" action="/admin/reviews/decide">${rows}<div class="after"><button type="submit" class="secondary">Decide selected …</button></div></form>`
          : rows,
    }),
  );
}

const noReviews = (state: ReviewState): Html =>
  state === 'DECIDED'
    ? emptyState('No decided reviews', 'Decided reviews appear here, newest first.')
    : state === 'BY_POLICY'
      ? emptyState(
          'None decided by policy',
          'Refunds that a partner’s policy upholds appear here until it takes the points back, newest first.',
        )
      : emptyState(
          state === 'MINE' ? 'Nothing is assigned to you' : 'Nothing to decide',
          'A refund of a claimed reward opens a review.',
        );

/** Columns that describe what a review is about. */
const reviewColumns = ({
  nameOf,
  costOf,
  isWaiting,
}: Pick<NamedReviews, 'nameOf' | 'costOf' | 'isWaiting'>): Columns<ReviewDoc> => ({
  Order: (one) =>
    html`${to('REVIEW', one._id, one.externalOrderId)}${isWaiting(one) ? html` ${badge('WAITING', 'Question not answered')}` : nothing}`,
  Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
  Mode: (one) => badge(one.mode),
  Refunded: {
    number: ({ _id }) => {
      const about = costOf.get(_id);
      return about && money(about.amountCents, about.currency);
    },
  },
  Points: { number: ({ points }) => points },
  'At stake': { number: ({ _id }) => costText(costOf.get(_id)) },
});

const costText = (
  cost: { liabilityCents: number; currency: string } | undefined,
): Html | undefined => cost && money(cost.liabilityCents, cost.currency);

const tick = ({ _id, externalOrderId }: ReviewDoc): Html =>
  html`<input type="checkbox" name="review" value="${_id}" aria-label="Select ${externalOrderId}">`;

const title = () => 'Decide several reviews';

const back = '/admin/reviews';

/** The selected reviews, which of them one operator can decide, and the form for a joint decision. */
function decideSeveralPage(
  ctx: PageContext<'operator'>,
  reviews: NamedReviews,
  { config, now, filled }: { config: Pick<Config, 'approvals'>; now: () => number; filled: Filled },
): Page {
  const { items, costOf } = reviews;
  const whyNot = (one: ReviewDoc) => {
    const cost = costOf.get(one._id);
    return cost === undefined ? 'NEEDS_APPROVAL' : whyLeft(config, { ...one, ...cost });
  };
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
      columns: { ...reviewColumns(reviews), Outcome: outcome },
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
    decisionFields(filled),
  );
}

/** A verdict with its reason, and the operator's own words. */
export const decisionFields = (filled: Filled): Html[] => [
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
];

const choicesOf = (verdict: keyof typeof reviewReasons, verb: string) =>
  reviewReasons[verdict].map((reason: ReviewReason) => ({
    value: `${verdict} ${reason}`,
    text: `${verb}: ${reasonWords[reason]}`,
  }));
