import type { SetUpFacts } from '../../domain/set-up.ts';
import { findActiveRules } from '../rewards/rules.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { readGoLiveFacts } from './go-live-facts.ts';

/** Pieces of evidence per step; a large partner has more than the list should show. */
const maxEvidence = 3;

/**
 * Reads the facts for the set-up list. Each read costs a few entries of one index, however many events
 * the partner has.
 */
export async function readSetUpFacts(
  { models }: { models: Models },
  partner: PartnerDoc,
): Promise<SetUpFacts> {
  const { _id: partnerId } = partner;
  const keysOf = async (mode: 'TEST' | 'LIVE', conditions: Record<string, unknown>) =>
    (
      await models.credentials
        .find({ partnerId, mode, ...conditions }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(maxEvidence)
    ).map(({ _id }) => _id);
  const [goLive, testKeyIds, [usedTestKeyId = null], rules, funding, liveKeyIds] =
    await Promise.all([
      readGoLiveFacts({ models }, partner),
      keysOf('TEST', { revokedAt: null }),
      keysOf('TEST', { 'secrets.lastUsedAt': { $type: 'date' } }),
      findActiveRules(models, partnerId, 'TEST'),
      models.testFunding
        .find({ partnerId, reference: { $gte: 'topUp:', $lt: 'topUp;' } }, { _id: 1 })
        .limit(maxEvidence),
      keysOf('LIVE', { revokedAt: null }),
    ]);
  const reward =
    goLive.testPurchaseId === null
      ? null
      : await models.rewards.findOne(
          { partnerId, purchaseEventId: goLive.testPurchaseId },
          { status: 1 },
        );
  return {
    goLive,
    testKeyIds,
    usedTestKeyId,
    testRuleIds: rules.map(({ ruleId }) => ruleId),
    testFundingIds: funding.map(({ _id }) => _id),
    testReward: reward && { rewardId: reward._id, status: reward.status },
    liveKeyIds,
  };
}
