import { largestReward } from '../../domain/points.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { FactDeps, Facts } from '../operation.ts';

/**
 * The facts that a go-live approval is bound to: the partner's profile, rules and funds, and its users with
 * their inviters. A change to any of them before the approval ends the proposal.
 */
export async function reviewedFacts(
  { models }: Pick<FactDeps, 'models'>,
  partner: PartnerDoc,
): Promise<Facts> {
  const { _id: partnerId, name, legalName, website, contactEmail, supportEmail } = partner;
  const { country, currency, maxPointMicros, maxRewardCents } = partner;
  const [rules, fundingCents, users, invitations] = await Promise.all([
    findActiveRules(models, partnerId, 'LIVE'),
    walletBalances(models, { mode: 'LIVE', partnerId }).then(({ fundingCents }) => fundingCents),
    models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }),
    models.invitations.find({ partnerId }).sort({ _id: 1 }),
  ]);
  return {
    partnerId,
    name,
    legalName,
    website,
    contactEmail,
    supportEmail,
    country,
    currency,
    contract: { maxPointMicros, maxRewardCents },
    rules: rules.map((rule) => ({
      ruleId: rule.ruleId,
      pointValueMicros: rule.pointValueMicros,
      largestRewardCents: largestReward(rule).liabilityCents,
    })),
    fundingCents,
    users: users.map(({ _id: userId, role, invitedBy = null, secondFactor }) => ({
      userId,
      role,
      invitedBy,
      hasSecondFactor: secondFactor !== null,
    })),
    invitations: invitations.map(({ _id: invitationId, role, invitedBy }) => ({
      invitationId,
      role,
      invitedBy,
    })),
  };
}
