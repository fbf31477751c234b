import { activityInfo, CompleteAsyncError } from '@temporalio/activity';
import type { ReviewRef } from '../domain/review.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import type { ActivityDeps } from './deps.ts';

export function reviewActivities({ models }: Pick<ActivityDeps, 'models'>) {
  return {
    /**
     * Waits for the operators' decision, which completes this activity from outside. A retry means
     * that the review became overdue: it stays open and counts one more round.
     */
    async adminReview({ partnerId }: RewardSnapshot, { reviewId }: ReviewRef): Promise<void> {
      const { attempt } = activityInfo();
      if (attempt > 1) {
        await models.reviews.updateOne({ partnerId, _id: reviewId }, { $max: { rounds: attempt } });
      }
      throw new CompleteAsyncError();
    },
  };
}
