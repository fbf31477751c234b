import { lossOf, worthBefore } from '../../domain/refunds.ts';
import type { MadeMove } from '../../domain/reward.ts';
import type { PolicyActivationDoc, RefundPolicyDoc } from '../../models/schemas/policies.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';

/** How far the clocks of processes may differ. */
const slackMs = 10_000;

/**
 * Every refund that a policy decided fits the policy that was in force when it was reported: each of its conditions
 * was met, its time had come, and nothing was written off.
 */
export const policyDecisions: DocCheck<RewardDoc> = {
  name: 'reviews: what a policy decided fits it',
  async problemsOf({ models }, partnerId, rewards) {
    const decided = rewards.flatMap((doc) =>
      doc.moves.flatMap((made, index) =>
        made.policyId === undefined ? [] : [{ doc, made, place: index + 1 }],
      ),
    );
    if (decided.length === 0) return [];
    const reviewIds = decided.flatMap(({ made }) => made.reviewId ?? []);
    const policyIds = decided.flatMap(({ made }) => made.policyId ?? []);
    const [reviews, policies, activations, entries] = await Promise.all([
      models.reviews.find({ partnerId, _id: { $in: reviewIds } }),
      models.refundPolicies.find({ partnerId, _id: { $in: policyIds } }),
      models.policyActivations.find({ partnerId }),
      models.ledger.find(
        { partnerId, rewardId: { $in: decided.map(({ doc }) => doc._id) }, kind: 'WRITE_OFF' },
        { rewardId: 1, at: 1 },
      ),
    ]);
    const reviewOf = new Map(reviews.map((one) => [one._id, one]));
    const policyOf = new Map(policies.map((one) => [one._id, one]));
    return decided.flatMap(({ doc, made, place }) => {
      const known = {
        review: reviewOf.get(made.reviewId ?? ''),
        policy: policyOf.get(made.policyId ?? ''),
        activations,
      };
      const isWrittenOff = entries.some(
        ({ rewardId, at }) => rewardId === doc._id && at.getTime() === made.at.getTime(),
      );
      const problem = isWrittenOff ? 'wrote something off' : problemOf(doc, made, place, known);
      if (problem === undefined) return [];
      const text = `reward ${doc._id}, partner ${partnerId}: the decision of ${made.policyId} ${problem}`;
      return [{ doc, text }];
    });
  },
};

interface Known {
  review: ReviewDoc | undefined;
  policy: RefundPolicyDoc | undefined;
  activations: readonly PolicyActivationDoc[];
}

function problemOf(
  reward: RewardDoc,
  made: MadeMove,
  place: number,
  { review, policy, activations }: Known,
): string | undefined {
  const { policyId } = made;
  if (policy === undefined || policy.mode !== reward.mode) return 'is of no policy of its mode';
  const left = review?.policy;
  if (review === undefined || left === undefined || left.policyId !== policyId) {
    return 'has no review that was left to it';
  }
  if (review.decision?.operatorId !== policyId) return 'is not that of its review';
  if (!wasInForce(activations, policy, review.openedAt))
    return 'was made while it was not in force';
  if (made.at < left.upholdsAt) return 'was made before its time';
  const lost = made.lost ?? lossOf(worthBefore(reward, place), null);
  const { maxCents, perCustomer, withinDays } = policy;
  const limits = {
    HAS_POINTS: lost.points,
    MAX_CENTS: maxCents,
    PER_CUSTOMER: perCustomer?.count ?? null,
    WITHIN_DAYS: withinDays,
  };
  const { conditions } = left;
  for (const [condition, limit] of Object.entries(limits)) {
    const judged = conditions.find((one) => one.condition === condition);
    if (limit === null ? judged !== undefined : judged?.limit !== limit) {
      return `was not judged by its ${condition}`;
    }
    if (judged === undefined) continue;
    const isMet =
      condition === 'HAS_POINTS' ? judged.value >= judged.limit : judged.value <= judged.limit;
    if (!isMet) return `does not meet its ${condition}`;
    if (condition === 'MAX_CENTS' && judged.value !== lost.liabilityCents) {
      return 'is about another amount';
    }
  }
  return undefined;
}

/** Whether a policy was in force at a time, or within what clocks may differ of it. */
function wasInForce(
  activations: readonly PolicyActivationDoc[],
  { _id, mode }: RefundPolicyDoc,
  at: Date,
): boolean {
  const log = activations
    .filter((one) => one.mode === mode)
    .toSorted((one, other) => one.seq - other.seq);
  return log.some(({ policyId, activatedAt }, index) => {
    const until = log[index + 1]?.activatedAt.getTime() ?? Number.POSITIVE_INFINITY;
    const from = activatedAt.getTime();
    return policyId === _id && from - slackMs <= at.getTime() && at.getTime() <= until + slackMs;
  });
}
