import type { Mode } from '../../domain/mode.ts';
import { policyLimits, type RefundPolicy } from '../../domain/refund-policy.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';
import type { RefundPolicyDoc } from '../schemas/policies.ts';
import { requireFound } from '../store/require-found.ts';
import type { VersionState } from './rule-versions.ts';

/** A stored policy version as the domain type. */
export function toRefundPolicy({ _id, createdAt: _, ...policy }: RefundPolicyDoc): RefundPolicy {
  return { policyId: _id, ...policy };
}

/** @throws ServiceError NOT_FOUND */
export async function findPolicy(models: Models, policyId: string): Promise<RefundPolicyDoc> {
  return requireFound(await models.refundPolicies.findById(policyId), 'refund policy', policyId);
}

/** The policy in force of a partner in one mode; null without one. */
export async function findActivePolicy(
  models: Models,
  partnerId: string,
  mode: Mode,
): Promise<RefundPolicy | null> {
  const newest = await models.policyActivations.findOne({ partnerId, mode }).sort({ seq: -1 });
  if (!newest?.policyId) return null;
  const policy = await models.refundPolicies.findOne({ partnerId, _id: newest.policyId });
  return policy && toRefundPolicy(policy);
}

export interface PolicyVersion {
  policy: RefundPolicy;
  state: VersionState;
  createdAt: Date;
}

/** The newest versions of a partner and mode, newest first. */
export async function findPolicies(
  models: Models,
  partnerId: string,
  mode: Mode,
  limit: number,
): Promise<PolicyVersion[]> {
  const [docs, active, once] = await Promise.all([
    models.refundPolicies.find({ partnerId, mode }).sort({ _id: -1 }).limit(limit),
    findActivePolicy(models, partnerId, mode),
    models.policyActivations.distinct('policyId', { partnerId, mode }),
  ]);
  return docs.map((doc) => ({
    policy: toRefundPolicy(doc),
    state: doc._id === active?.policyId ? 'ACTIVE' : once.includes(doc._id) ? 'REPLACED' : 'DRAFT',
    createdAt: doc.createdAt,
  }));
}

/** When refunds of a customer were left to a policy, of those that a condition can count. */
export async function leftToPolicy(
  models: Models,
  { partnerId, mode, customerId }: { partnerId: string; mode: Mode; customerId: string },
  at: Date,
): Promise<{ reviewId: string; openedAt: Date }[]> {
  const since = new Date(at.getTime() - policyLimits.days * dayMs);
  const found = await models.reviews
    .find(
      { partnerId, 'policy.customerId': customerId, mode, openedAt: { $gte: since } },
      { openedAt: 1 },
    )
    .sort({ _id: -1 })
    .limit(policyLimits.count + 1)
    .hint('left_to_policy');
  return found.map(({ _id: reviewId, openedAt }) => ({ reviewId, openedAt }));
}
