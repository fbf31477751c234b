import Joi from 'joi';
import { pageSchema } from '../../../http/query.ts';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import {
  type QueuePlace,
  readDecidedReviews,
  readOpenReviews,
} from '../../../models/views/reviews.ts';
import type { PageContext } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { type ReviewQuery, reviewFilters } from '../../forms/record-queries.ts';
import { reviewsPage } from '../../html/pages/admin/reviews.ts';
import { render } from '../../html/view.ts';
import { chosenPartner } from '../../routing/chosen-partner.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const querySchema = Joi.object<ReviewQuery>(reviewFilters);
/** The cursor of the queue: due time and id of the last review on the page. */
const placeSchema = Joi.object<{ cursor?: QueuePlace }>({
  cursor: Joi.string()
    .max(256)
    .custom((text: string): QueuePlace => {
      const [, due = '', reviewId = ''] = /^(\d{1,15}) (rev_\w{26})$/.exec(decoded(text)) ?? [];
      if (reviewId === '') throw new Error('form');
      return { dueAt: new Date(Number(due)), reviewId };
    }),
});

const decoded = (text: string): string => Buffer.from(text, 'base64url').toString('utf8');
const encoded = ({ dueAt, _id }: ReviewDoc): string =>
  Buffer.from(`${dueAt.getTime()} ${_id}`).toString('base64url');

/** The review queue, most urgent first. */
export function operatorReviewPages(routes: Routes): void {
  routes.page({ path: '/admin/reviews', audience: 'operator', permission: 'read' }, showReviews);
}

async function showReviews(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { state, mode, partner: typed, from, to } = queryOf(ctx, querySchema);
  const partner = await chosenPartner(ctx, deps, typed);
  const filter = { mode, partnerId: partner, fromDay: from, toDay: to };
  const nowMs = deps.now();
  if (state === 'DECIDED') {
    const reviews = await readDecidedReviews(deps, filter, queryOf(ctx, pageSchema));
    const { nextCursor } = reviews;
    return render(ctx, reviewsPage(ctx, reviews, { state, nextCursor, nowMs }));
  }
  const { cursor } = queryOf(ctx, placeSchema);
  const assigneeId = state === 'MINE' ? ctx.state.viewer.actorId : undefined;
  const queue = { ...filter, assigneeId, isOverdue: state === 'OVERDUE' };
  const reviews = await readOpenReviews(deps, queue, cursor);
  const nextCursor = reviews.last ? encoded(reviews.last) : null;
  render(ctx, reviewsPage(ctx, reviews, { state, nextCursor, nowMs }));
}
