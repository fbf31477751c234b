import { ServiceError } from '../../domain/errors.ts';
import { decideReview } from '../../domain/facts.ts';
import type { ReviewDecision } from '../../domain/review.ts';
import type { ReviewReason } from '../../domain/review-reasons.ts';
import { commitReward } from '../../models/rewards/commit-reward.ts';
import { findReward } from '../../models/rewards/find-reward.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import { type OfCustomer, sealForCustomer } from '../../models/store/data-keys.ts';
import { findReview, reasonsOf } from '../../models/views/review-reasons.ts';
import type { OperationDeps } from '../deps.ts';

/** An operator's decision and its reason. */
export interface Decision {
  decision: ReviewDecision['verdict'];
  reasonCode: ReviewReason;
  /** May identify the customer. */
  reason: string;
}

/**
 * Decides a review by one commit, with what follows for the reward, so that one of two operators wins.
 * @returns the review with this decision; the same for a repeat by the same operator after a lost response
 * @throws ServiceError NOT_FOUND; CONFLICT when it was decided otherwise
 */
export async function completeReview(
  deps: OperationDeps,
  { reviewId, ...customer }: OfCustomer & { reviewId: string },
  { decision: verdict, reasonCode, reason }: Decision,
  operatorId: string,
): Promise<ReviewDoc> {
  const { models, commit } = deps;
  const before = await findReview(models, reviewId);
  const decision: ReviewDecision = {
    verdict,
    reasonCode,
    operatorId,
    decidedAt: new Date(deps.now()).toISOString(),
    sealedReason: await sealForCustomer(deps, customer, reason, reviewId),
  };
  if (before.decision === null) {
    const { partnerId } = before;
    const reward = await findReward(models, before.rewardId);
    await commitReward(commit, reward, (draft, held, terms) => {
      // The review is decided with its reward: another operator was faster.
      if (held.status !== 'ADMIN_REVIEW' || held.review?.reviewId !== reviewId) return;
      const at = new Date(decision.decidedAt);
      decideReview(draft, held, { ...terms, at }, { reviewId, verdict });
      draft.update({
        of: 'reviews',
        filter: { partnerId, _id: reviewId },
        change: { $set: { status: 'DECIDED', decision } },
      });
    });
  }
  const review = await findReview(models, reviewId);
  if (review.decision === null) throw new Error(`${reviewId} was not decided`);
  await requireSame(deps, review, review.decision, decision, reason);
  return review;
}

/** @throws ServiceError CONFLICT unless the stored decision is this one, by this operator */
async function requireSame(
  deps: OperationDeps,
  review: ReviewDoc,
  written: ReviewDecision,
  decision: ReviewDecision,
  reason: string,
): Promise<void> {
  const { _id: reviewId } = review;
  const isSame =
    written.operatorId === decision.operatorId &&
    written.verdict === decision.verdict &&
    written.reasonCode === decision.reasonCode;
  if (isSame) {
    // The reason of an erased customer can no longer be read, so it is not compared.
    const [writtenReason = null] = await reasonsOf(deps, [review]);
    if (writtenReason === null || writtenReason === reason) return;
  }
  const winner = await deps.models.operators.findById(written.operatorId);
  throw new ServiceError(
    'CONFLICT',
    `${reviewId} has already been decided: ${written.verdict} by ${winner?.name ?? 'an operator'} (${written.operatorId}) at ${written.decidedAt}.`,
  );
}
