import type { ApprovalConfig } from '../../domain/approvals.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findReward } from '../../models/rewards/find-reward.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { findReview } from '../../models/views/review-reasons.ts';
import type { OperatorActor } from '../actor.ts';
import type { OperationDeps } from '../deps.ts';
import { execute } from '../execute.ts';
import { needsApproval } from '../needs-approval.ts';
import type { Decision } from './complete-review.ts';
import { decideReview, takenBackAlone } from './decide.ts';

/** The maximum number of reviews to decide together: those on a page of the queue. */
export const maxDecidedAtOnce = 25;

/**
 * Why a review cannot be decided together with others; null if it can.
 * @param movedCents what operators have taken back without approval today
 */
export function whyLeft(
  config: { approvals: ApprovalConfig },
  { status, mode }: Pick<ReviewDoc, 'status' | 'mode'>,
  { liabilityCents }: Pick<RewardDoc, 'liabilityCents'>,
  movedCents = 0,
): 'DECIDED' | 'NEEDS_APPROVAL' | null {
  if (status === 'DECIDED') return 'DECIDED';
  const isNeeded = needsApproval(config, decideReview, { mode, liabilityCents }, movedCents);
  return isNeeded ? 'NEEDS_APPROVAL' : null;
}

/**
 * Decides several reviews with the same reason, each as if decided separately. Reviews that are decided
 * already, or need two operators, are not changed.
 * @returns the number of reviews that this decided
 * @throws ServiceError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function decideSeveral(
  deps: OperationDeps,
  actor: OperatorActor,
  reviewIds: readonly string[],
  decision: Omit<Decision, 'reason'> & { reason?: string },
): Promise<number> {
  let decided = 0;
  for (const reviewId of new Set(reviewIds)) {
    const review = await findReview(deps.models, reviewId);
    const reward = await findReward(deps.models, review.rewardId);
    const { partnerId, customerId, mode } = reward;
    const intended = { partnerId, customerId, mode, decision: decision.decision };
    const movedCents = await takenBackAlone(deps, intended, actor.id);
    if (whyLeft(deps.config, review, reward, movedCents) !== null) continue;
    try {
      const { isDone } = await execute(deps, decideReview, actor, { reviewId, ...decision });
      if (isDone) decided += 1;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'CONFLICT') throw error;
    }
  }
  return decided;
}
