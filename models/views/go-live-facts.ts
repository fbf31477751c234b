import type { GoLiveFacts } from '../../domain/go-live.ts';
import { walletBalances } from '../ledger/index.ts';
import { findActiveRules } from '../rewards/rules.ts';
import { externalIdIndexes } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

/** Pieces of evidence per condition; a large partner has more than a checklist should show. */
const maxEvidence = 10;

/**
 * Reads the facts for the go-live checklist. Each read costs a few entries of one index, however many
 * events the partner has.
 */
export async function readGoLiveFacts(
  { models }: { models: Models },
  partner: PartnerDoc,
): Promise<GoLiveFacts> {
  const { _id: partnerId, goLive } = partner;
  const [rules, balanceCents, topUps, integrations, evidence] = await Promise.all([
    findActiveRules(models, partnerId, 'LIVE'),
    walletBalances(models, { mode: 'LIVE', partnerId }).then(({ fundingCents }) => fundingCents),
    models.ledger
      .find(
        { partnerId, walletId: partnerId, reference: { $gte: 'topUp:', $lt: 'topUp;' } },
        { _id: 1 },
      )
      .limit(maxEvidence),
    models.integrations.find({ partnerId }, { _id: 1 }).limit(maxEvidence),
    testEvidence(models, partnerId),
  ]);
  return {
    profile: partner,
    liveRuleIds: rules.map(({ ruleId }) => ruleId),
    funding: {
      balanceCents,
      minimumCents: partner.goLiveMinimumFundingCents,
      transactionIds: topUps.map(({ _id }) => _id),
    },
    integrationIds: integrations.map(({ _id }) => _id),
    ...evidence,
    state: goLive.state,
    approvedBy: goLive.state === 'LIVE' ? goLive.reviewerId : null,
  };
}

/** A TEST refund and its purchase or, without a refund, any TEST purchase. */
async function testEvidence(
  models: Models,
  partnerId: string,
): Promise<Pick<GoLiveFacts, 'testPurchaseId' | 'testRefund'>> {
  const any = (type: 'PURCHASE' | 'REFUND') =>
    models.orderEvents
      .findOne({ partnerId, mode: 'TEST', type }, { purchaseEventId: 1 })
      .hint(type === 'REFUND' ? externalIdIndexes.refund : externalIdIndexes.order);
  const refund = await any('REFUND');
  const purchase = refund
    ? await models.orderEvents.findOne(
        { partnerId, _id: refund.purchaseEventId, type: 'PURCHASE' },
        { _id: 1 },
      )
    : await any('PURCHASE');
  return {
    testPurchaseId: purchase?._id ?? null,
    testRefund: refund && { eventId: refund._id, purchaseEventId: refund.purchaseEventId },
  };
}
