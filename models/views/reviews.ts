import type { Mode } from '../../domain/mode.ts';
import { idBound, reviewIdOf } from '../../platform/ids.ts';
import { namesOfActors } from '../identity/actors.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { defaultLimit, given, type PageQuery, page } from '../store/paging.ts';
import type { TimedDeps } from './deps.ts';
import { readPartnerNames } from './names.ts';
import { type QueuePlace, readReviewQueue } from './review-queue.ts';

/** The lists of reviews. */
export const reviewStates = ['OPEN', 'MINE', 'OVERDUE', 'DECIDED'] as const;
export type ReviewState = (typeof reviewStates)[number];

/** Filters of reviews. Days are those of the refund. */
export interface ReviewFilter extends DayRange {
  mode: Mode | undefined;
  partnerId: string | undefined;
}

/** A page of open reviews, the first due first. @returns `last` if there is a next page */
export async function readOpenReviews(
  deps: TimedDeps,
  filter: ReviewFilter & { isOverdue: boolean; assigneeId: string | undefined },
  after: QueuePlace | undefined,
) {
  const { isOverdue, fromDay, toDay, ...narrowed } = filter;
  const dueBefore = isOverdue ? new Date(deps.now()) : undefined;
  const queue = { ...narrowed, dueBefore, openedOn: openedOn({ fromDay, toDay }) };
  const read = await readReviewQueue(deps.models, queue, defaultLimit + 1, after);
  const items = read.slice(0, defaultLimit);
  const last = read.length > defaultLimit ? items.at(-1) : undefined;
  return { ...(await named(deps, items)), last };
}

/** A page of decided reviews, newest first. */
export async function readDecidedReviews(
  deps: TimedDeps,
  { mode, partnerId, ...days }: ReviewFilter,
  query: PageQuery,
) {
  const conditions = [...given({ status: 'DECIDED', mode, partnerId }), ...openedOn(days)];
  const decided = await page(deps.models.reviews, conditions, query, (one: ReviewDoc) => one);
  return { ...(await named(deps, decided.items)), nextCursor: decided.nextCursor };
}

/** A condition on ids, which contain the time of the refund. */
export const openedOn = (days: DayRange) =>
  createdOn(days, (atMs) => reviewIdOf(idBound('event', atMs)));

/** Reviews by their ids, in the order of the ids. */
export async function readReviewsById(
  { models }: Pick<TimedDeps, 'models'>,
  reviewIds: readonly string[],
) {
  const reviews = await models.reviews.find({ _id: { $in: reviewIds } });
  return await named(
    { models },
    reviews.toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  );
}

/** Reviews with the names of their partners and assignees, and the costs of their rewards. */
export type NamedReviews = Awaited<ReturnType<typeof named>>;

export async function named({ models }: Pick<TimedDeps, 'models'>, items: ReviewDoc[]) {
  const [nameOf, assignees, costs] = await Promise.all([
    readPartnerNames({ models }, items),
    namesOfActors(
      models,
      items.map(({ assigneeId = null }) => assigneeId),
    ),
    models.rewards.find(
      { _id: { $in: items.map(({ rewardId }) => rewardId) } },
      { liabilityCents: 1, currency: 1 },
    ),
  ]);
  return { items, nameOf, assignees, costOf: new Map(costs.map((one) => [one._id, one])) };
}
