import { type Mode, modes } from '../../domain/mode.ts';
import { maxCountedReviews } from '../../domain/review.ts';
import type { Models } from '../schemas/index.ts';
import { type ReviewDoc, reviewQueueIndexes } from '../schemas/reviews.ts';

/** Filters of open reviews; a review must meet all given ones. */
export interface QueueFilter {
  partnerId?: string | undefined;
  mode?: Mode | undefined;
  /** The assigned operator. */
  assigneeId?: string | undefined;
  /** Only reviews due before this. */
  dueBefore?: Date | undefined;
  /** Conditions on the ids. */
  openedOn?: readonly Record<string, unknown>[];
}

/** The last review on the previous page. */
export interface QueuePlace {
  dueAt: Date;
  reviewId: string;
}

/**
 * A page of the open reviews, the first due first. It costs the same however many are open.
 * @param limit maximum number of reviews, at least 1
 */
export async function readReviewQueue(
  { reviews }: Models,
  { partnerId, mode, assigneeId, dueBefore, openedOn = [] }: QueueFilter,
  limit: number,
  after?: QueuePlace,
): Promise<ReviewDoc[]> {
  return await reviews
    .find({
      ...(partnerId !== undefined && { partnerId }),
      ...(assigneeId !== undefined && { assigneeId }),
      status: 'OPEN',
      // The database merges the ranges of both modes in order.
      mode: mode ?? { $in: modes },
      dueAt: { $gte: after?.dueAt ?? new Date(0), ...(dueBefore && { $lt: dueBefore }) },
      // The index contains the ids, so reviews of other days are not read.
      ...(openedOn.length > 0 && { $and: [...openedOn] }),
      ...(after && {
        $or: [
          { dueAt: { $gt: after.dueAt } },
          { dueAt: after.dueAt, _id: { $gt: after.reviewId } },
        ],
      }),
    })
    .sort({ dueAt: 1, _id: 1 })
    .hint(indexOf({ partnerId, assigneeId }))
    .limit(limit);
}

/** One operator is assigned few reviews, so their index is used whatever the partner. */
function indexOf({ partnerId, assigneeId }: QueueFilter): string {
  if (assigneeId !== undefined) return reviewQueueIndexes.ofAssignee;
  return partnerId === undefined ? reviewQueueIndexes.all : reviewQueueIndexes.ofPartner;
}

/** The number of open reviews in both modes, counted up to `maxCountedReviews`. */
export const countOpenReviews = ({ reviews }: Pick<Models, 'reviews'>): Promise<number> =>
  reviews.countDocuments({ status: 'OPEN' }, { limit: maxCountedReviews }).exec();
