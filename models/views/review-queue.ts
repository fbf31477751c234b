import { type Mode, modes } from '../../domain/mode.ts';
import { maxCountedReviews } from '../../domain/review.ts';
import type { Models } from '../schemas/index.ts';
import { type ReviewDoc, reviewQueueIndexes } from '../schemas/review.ts';

/** Which open reviews are asked for: all that is given must hold. */
export interface QueueFilter {
  partnerId?: string | undefined;
  mode?: Mode | undefined;
  /** The operator who looks after them. */
  assigneeId?: string | undefined;
  /** Only those that were due before this. */
  dueBefore?: Date | undefined;
  /** Of their ids. */
  openedOn?: readonly Record<string, unknown>[];
}

/** The review after which a page begins. */
export interface QueuePlace {
  dueAt: Date;
  reviewId: string;
}

/**
 * The open reviews, the first due first. However many are open, a page costs the same.
 * @param limit how many, from 1
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
      // The index has the ids: whatever was opened on other days is not read.
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
    .limit(limit)
    .lean();
}

/** Few are one operator's, of whatever partner. */
function indexOf({ partnerId, assigneeId }: QueueFilter): string {
  if (assigneeId !== undefined) return reviewQueueIndexes.ofAssignee;
  return partnerId === undefined ? reviewQueueIndexes.all : reviewQueueIndexes.ofPartner;
}

/** How many reviews are open, of either mode, up to `maxCountedReviews`: so many keys of an index at most. */
export const countOpenReviews = ({ reviews }: Pick<Models, 'reviews'>): Promise<number> =>
  reviews.countDocuments({ status: 'OPEN' }, { limit: maxCountedReviews }).exec();
