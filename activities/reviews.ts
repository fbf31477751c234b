import { activityInfo, CompleteAsyncError } from '@temporalio/activity';
import type { ReviewDecision, ReviewRef, RewardSnapshot } from '../domain/events.ts';
import { insertOnce } from '../models/insert-once.ts';
import type { ActivityDeps } from './deps.ts';
import type { Settle } from './settle.ts';

export function reviewActivities({ models }: Pick<ActivityDeps, 'models'>, settle: Settle) {
  return {
    /**
     * Puts a review before the admins and leaves: the decision in the console completes this activity
     * from outside. Each further attempt means that the review came due undecided; it stays open and
     * counts one more round.
     */
    async adminReview(
      reward: RewardSnapshot,
      { reviewId, openedAt, dueMs }: ReviewRef,
    ): Promise<ReviewDecision> {
      const { partnerId, mode, rewardId, externalOrderId, points } = reward;
      const info = activityInfo();
      await insertOnce(() =>
        models.reviews.create({
          _id: reviewId,
          partnerId,
          mode,
          rewardId,
          refundEventId: reviewId.replace(/^rev_/, 'evt_'),
          externalOrderId,
          points,
          workflowId: info.workflowExecution?.workflowId ?? '',
          status: 'OPEN',
          openedAt,
          dueAt: new Date(Date.parse(openedAt) + dueMs),
          rounds: 1,
        }),
      );
      if (info.attempt > 1) {
        await models.reviews.updateOne(
          { partnerId, _id: reviewId },
          { $max: { rounds: info.attempt } },
        );
      }
      throw new CompleteAsyncError();
    },

    /** Writes an admin's decision: the reward first, then the review, so that a decided review is done. */
    async closeReview(
      reward: RewardSnapshot,
      reviewId: string,
      decision: ReviewDecision,
    ): Promise<RewardSnapshot> {
      const closes = { reviewId, decision };
      return await settle(reward, decision.verdict, decision.decidedAt, { closes });
    },
  };
}
