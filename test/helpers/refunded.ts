import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import { claimTokenOf } from './claim-token.ts';
import { eventually } from './eventually.ts';
import { aPurchase, type PartnerBackend } from './partner-backend.ts';
import type { Service } from './service.ts';

/**
 * A claimed reward of 499 points, worth 4.99.
 * @param changes of the purchase
 */
export async function claimedReward(
  service: Service,
  partner: PartnerBackend,
  changes: Record<string, unknown> = {},
): Promise<{ rewardId: string; externalOrderId: string }> {
  const { externalOrderId, ...purchase } = aPurchase(changes);
  const { body } = await partner.purchase({ externalOrderId, ...purchase });
  const token = await claimTokenOf(service, body.eventId);
  const rewardId: string = body.reward.id;
  await eventually(
    async () => (await service.models.rewards.findById(rewardId))?.state === 'FUNDED',
    'it is funded',
  );
  const { status, text } = await service.claim(token);
  if (status !== 200) throw new Error(text);
  return { rewardId, externalOrderId };
}

/**
 * Refunds a claimed reward of 499 points, worth 4.99.
 * @param changes of the purchase, and what happens between the claim and the refund
 * @returns the open review
 */
export async function refundedAfterClaim(
  service: Service,
  partner: PartnerBackend,
  {
    reason,
    meanwhile,
    ...changes
  }: { reason?: string; meanwhile?: (rewardId: string) => Promise<void> } & Record<
    string,
    unknown
  > = {},
): Promise<ReviewDoc> {
  const { rewardId, externalOrderId } = await claimedReward(service, partner, changes);
  await meanwhile?.(rewardId);
  await partner.refund({
    externalOrderId,
    ...(reason !== undefined && { reason }),
  });
  return await eventually(() => service.models.reviews.findOne({ rewardId }), 'a review opens');
}
