import pMap from 'p-map';
import type { Mode } from '../domain/mode.ts';
import { accounts } from '../domain/postings.ts';
import {
  type PastReview,
  type PolicyTest,
  type RefundPolicy,
  testPolicy,
} from '../domain/refund-policy.ts';
import {
  findActivePolicy,
  findPolicies,
  type PolicyVersion,
  toRefundPolicy,
} from '../models/rewards/refund-policies.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import { requireFound } from '../models/store/require-found.ts';
import { idBound } from '../platform/ids.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

export const maxPolicies = 50;

/** The newest versions of a mode. */
export const readPolicies = (
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<PolicyVersion[]> => findPolicies(models, partnerId, mode, maxPolicies);

/** A partner's own policy version, with the one in force. @throws ServiceError NOT_FOUND */
export async function readPolicy(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  policyId: string,
): Promise<{ policy: RefundPolicy; active: RefundPolicy | null; createdAt: Date }> {
  const found = await models.refundPolicies.findOne({ partnerId, _id: policyId });
  const stored = requireFound(found, 'refund policy', policyId);
  const active = await findActivePolicy(models, partnerId, stored.mode);
  return { policy: toRefundPolicy(stored), active, createdAt: stored.createdAt };
}

/** The newest reviews that a policy is tried on. */
export const maxTested = 100;
const readsAtOnce = 10;

/** What a policy would have made of the partner's newest reviews that operators decided. */
export async function tryPolicy(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  policy: RefundPolicy,
): Promise<PolicyTest> {
  const { mode } = policy;
  const reviews = await models.reviews
    .find({ partnerId, mode, status: 'DECIDED', 'decision.reasonCode': { $ne: 'POLICY' } })
    .sort({ _id: -1 })
    .limit(maxTested);
  const rewardIds = reviews.map(({ rewardId }) => rewardId);
  const [rewards, purchases] = await Promise.all([
    models.rewards.find({ partnerId, _id: { $in: rewardIds } }, { customerId: 1, createdAt: 1 }),
    models.orderEvents.find(
      { partnerId, rewardId: { $in: rewardIds }, type: 'PURCHASE' },
      { rewardId: 1, occurredAt: 1 },
    ),
  ]);
  const rewardOf = new Map(rewards.map((one) => [one._id, one]));
  const occurredOf = new Map(purchases.map((one) => [one.rewardId, one.occurredAt]));
  const past = await pMap(reviews.toReversed(), pastOf, { concurrency: readsAtOnce });
  return testPolicy(
    policy,
    past.filter((one) => one !== null),
  );

  async function pastOf(review: ReviewDoc): Promise<PastReview | null> {
    const { _id: reviewId, rewardId, externalOrderId, openedAt, decision } = review;
    const reward = rewardOf.get(rewardId);
    if (reward === undefined || decision === null) return null;
    const { customerId } = reward;
    const [points, owedCents] = await Promise.all([
      balanceAt(accounts.points.customer(customerId), openedAt),
      balanceAt(accounts.payable(customerId), openedAt),
    ]);
    return {
      reviewId,
      externalOrderId,
      customerId,
      verdict: decision.verdict,
      asked: {
        lost: { points: review.points, liabilityCents: review.liabilityCents },
        holds: { points, owedCents },
        purchasedAt: occurredOf.get(rewardId) ?? reward.createdAt,
        refundedAt: openedAt,
      },
    };
  }

  /** What an account held when a review was opened, by the newest entry before. */
  async function balanceAt(account: string, at: Date): Promise<number> {
    const entry = await models.ledger
      .findOne({
        partnerId,
        mode,
        'postings.account': account,
        _id: { $lt: idBound('transaction', at.getTime()) },
      })
      .sort({ _id: -1 });
    return entry?.postings.find((one) => one.account === account)?.balanceAfter ?? 0;
  }
}
