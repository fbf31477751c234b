import type { RewardSnapshot, SealedPurchase } from '../domain/events.ts';
import type { ActivityDeps } from './deps.ts';

export function notifyActivities({ models, sealer, sendMail, publicUrl }: ActivityDeps) {
  return {
    /**
     * Sends the customer the link that claims the reward.
     * @returns what was done; a customer known by phone alone has no address to write to
     */
    async sendClaimLink(reward: RewardSnapshot): Promise<'SENT' | 'NO_EMAIL'> {
      const { partnerId, purchaseEventId, rewardId, points, claimExpiresAt } = reward;
      const [event, partner] = await Promise.all([
        models.orderEvents.findOne({ partnerId, _id: purchaseEventId }).lean().orFail(),
        models.partners.findById(partnerId).lean().orFail(),
      ]);
      const { email, claimToken }: SealedPurchase = JSON.parse(
        sealer.open(event.sealed, purchaseEventId),
      );
      if (email === null) return 'NO_EMAIL';
      await sendMail({
        id: rewardId,
        to: email,
        subject: `${points} points from ${partner.name} are waiting for you`,
        text: [
          `Thank you for your purchase at ${partner.name}. It earned you ${points} points.`,
          '',
          `Claim them until ${new Date(claimExpiresAt).toUTCString()}:`,
          `${publicUrl}/claim/${claimToken}`,
          '',
          'Keep this link to yourself: whoever has it can claim the points.',
        ].join('\n'),
      });
      return 'SENT';
    },
  };
}
