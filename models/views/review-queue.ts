import { type Mode, modes } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import { type ReviewDoc, reviewQueueIndexes } from '../schemas/review.ts';

/** Which open reviews are asked for: all that is given must hold. */
export interface QueueFilter {
  partnerId?: string | undefined;
  mode?: Mode | undefined;
  /** Only those that were due before this. */
  dueBefore?: Date | undefined;
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
  { partnerId, mode, dueBefore }: QueueFilter,
  limit: number,
  after?: QueuePlace,
): Promise<ReviewDoc[]> {
  return await reviews
    .find({
      ...(partnerId !== undefined && { partnerId }),
      status: 'OPEN',
      // The database merges the ranges of both modes in order.
      mode: mode ?? { $in: modes },
      dueAt: { $gte: after?.dueAt ?? new Date(0), ...(dueBefore && { $lt: dueBefore }) },
      ...(after && {
        $or: [
          { dueAt: { $gt: after.dueAt } },
          { dueAt: after.dueAt, _id: { $gt: after.reviewId } },
        ],
      }),
    })
    .sort({ dueAt: 1, _id: 1 })
    .hint(partnerId === undefined ? reviewQueueIndexes.all : reviewQueueIndexes.ofPartner)
    .limit(limit)
    .lean();
}
