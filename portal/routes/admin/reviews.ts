import Joi from 'joi';
import { type Mode, modes } from '../../../domain/events.ts';
import {
  defaultLimit,
  given,
  type PageQuery,
  page,
  pageParameters,
  searchText,
} from '../../../http/paging.ts';
import type { Models } from '../../../models/schemas/index.ts';
import type { ReviewDoc } from '../../../models/schemas/review.ts';
import { namesOfPartners } from '../../../models/views/names.ts';
import { type QueuePlace, readReviewQueue } from '../../../models/views/review-queue.ts';
import type { PortalDeps } from '../../deps.ts';
import { badge, emptyState, table } from '../../html/components.ts';
import { filterBar } from '../../html/filters.ts';
import { away, money, number } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { to } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { dueBadge } from '../../html/review.ts';
import { view } from '../../html/view.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

type State = 'OPEN' | 'OVERDUE' | 'DECIDED';

interface ReviewQuery extends Omit<PageQuery, 'cursor'> {
  state: State;
  mode?: Mode;
  partner?: string;
}

const filters = {
  mode: Joi.string().valid(...modes),
  partner: searchText,
};
const querySchema = Joi.object<ReviewQuery>({
  state: Joi.string().valid('OPEN', 'OVERDUE', 'DECIDED').default('OPEN'),
  ...filters,
});
const decidedSchema = Joi.object<PageQuery & { mode?: Mode; partner?: string }>({
  ...filters,
  ...pageParameters,
});
/** Of the queue: when the last review of a page is due, and its id. */
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

/** The queue of reviews: what is due first comes first. */
export function adminReviewPages(routes: Routes, deps: PortalDeps): void {
  const { models, now } = deps;

  routes.page({ path: '/admin/reviews', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { state, mode, partner } = queryOf(ctx, querySchema);
    const { items, nextCursor } =
      state === 'DECIDED'
        ? await decidedPage(queryOf(ctx, decidedSchema))
        : await queuePage(state, queryOf(ctx, placeSchema).cursor, { mode, partnerId: partner });
    const [nameOf, centsOf] = await Promise.all([
      namesOfPartners(
        models,
        items.map(({ partnerId }) => partnerId),
      ),
      stakesOf(models, items),
    ]);
    view(
      ctx,
      {
        title: 'Reviews',
        lead: 'Refunds of rewards that their customers had claimed. What is due first comes first.',
      },
      filterBar(ctx, [
        {
          ...{ name: 'state', label: 'State' },
          choices: [
            { value: 'OPEN', text: 'Open' },
            { value: 'OVERDUE', text: 'Overdue' },
            { value: 'DECIDED', text: 'Decided' },
          ],
        },
        {
          ...{ name: 'mode', label: 'Mode' },
          choices: [
            { value: '', text: 'Any' },
            { value: 'LIVE', text: 'LIVE' },
            { value: 'TEST', text: 'TEST' },
          ],
        },
        { name: 'partner', label: 'Partner', placeholder: 'prt_…' },
      ]),
      html`<section class="card" id="list">${table({
        caption: 'Reviews',
        columns: [
          { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
          {
            heading: 'Partner',
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          { heading: 'Mode', cell: (one) => badge(one.mode) },
          { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
          { heading: 'At stake', cell: ({ rewardId }) => centsOf.get(rewardId), isNumber: true },
          { heading: 'Opened', cell: ({ openedAt }) => away(openedAt, now()) },
          {
            heading: state === 'DECIDED' ? 'Decided' : 'Due',
            cell: (one) =>
              html`${dueBadge(one, now())}${one.rounds > 1 ? html` <span class="muted">round ${one.rounds}</span>` : nothing}`,
          },
        ],
        rows: items,
        empty:
          state === 'DECIDED'
            ? emptyState('No review was decided', 'Those that were show here, the newest first.')
            : emptyState('Nothing to decide', 'A refund of a claimed reward opens a review.'),
      })}${pager(ctx, nextCursor)}</section>`,
    );
  });

  async function queuePage(
    state: Exclude<State, 'DECIDED'>,
    after: QueuePlace | undefined,
    filter: { mode: Mode | undefined; partnerId: string | undefined },
  ): Promise<{ items: ReviewDoc[]; nextCursor: string | null }> {
    const dueBefore = state === 'OVERDUE' ? new Date(now()) : undefined;
    const found = await readReviewQueue(models, { ...filter, dueBefore }, defaultLimit + 1, after);
    const items = found.slice(0, defaultLimit);
    const last = items.at(-1);
    return { items, nextCursor: found.length > defaultLimit && last ? encoded(last) : null };
  }

  async function decidedPage({
    mode,
    partner,
    ...paging
  }: PageQuery & { mode?: Mode; partner?: string }) {
    const conditions = given({ status: 'DECIDED', mode, partnerId: partner });
    return await page(models.reviews, conditions, paging, (review: ReviewDoc) => review);
  }
}

/** What each review's reward costs its partner, by the rewards' ids. */
async function stakesOf(models: Models, reviews: readonly ReviewDoc[]) {
  const rewards = await models.rewards
    .find(
      { _id: { $in: reviews.map(({ rewardId }) => rewardId) } },
      { liabilityCents: 1, currency: 1 },
    )
    .lean();
  return new Map(rewards.map((one) => [one._id, money(one.liabilityCents, one.currency)]));
}
