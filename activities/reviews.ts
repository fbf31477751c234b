import { activityInfo, CompleteAsyncError } from '@temporalio/activity';
import type { ReviewRef } from '../domain/review.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { markReviewOpened } from '../models/rewards/carried-out.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { refundEventIdOf } from '../platform/ids.ts';
import type { ActivityDeps } from './deps.ts';

export function reviewActivities({ models }: Pick<ActivityDeps, 'models'>) {
  return {
    /** Opens a review for the operators. Safe to repeat. */
    async openReview(
      reward: RewardSnapshot,
      { reviewId, openedAt, dueMs }: ReviewRef,
    ): Promise<void> {
      const { partnerId, mode, rewardId, points } = reward;
      // The order id in the workflow may be its short form.
      const { externalOrderId } = await models.rewards
        .findOne({ partnerId, _id: rewardId }, { externalOrderId: 1 })
        .orFail();
      await insertOnce(() =>
        models.reviews.create({
          _id: reviewId,
          partnerId,
          mode,
          rewardId,
          refundEventId: refundEventIdOf(reviewId),
          externalOrderId,
          points,
          workflowId: activityInfo().workflowExecution?.workflowId ?? '',
          status: 'OPEN',
          openedAt,
          dueAt: new Date(Date.parse(openedAt) + dueMs),
          rounds: 1,
        }),
      );
      await markReviewOpened(models, reward, reviewId);
    },

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
