import { customerTimeZone } from '../domain/branding.ts';
import { type PointsLinkRequest, pointsUrlOf } from '../domain/customer.ts';
import { type Channel, isTextable } from '../domain/messages.ts';
import { pointsMail, pointsText } from '../messaging/customer-messages.ts';
import { UnreachableError } from '../messaging/message.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { createPointsLink } from '../models/identity/points-links.ts';
import { openContact } from '../models/rewards/contact.ts';
import { takeMailQuota } from '../models/store/mail-quotas.ts';
import type { ActivityDeps } from './deps.ts';
import { languageOf, sendToCustomer } from './messages.ts';

/** What happened to a link that a customer requested. */
type PointsLinkOutcome = Channel | 'NOBODY' | 'TOO_MANY' | 'UNREACHABLE';

export function pointsLinkActivities({
  models,
  sealer,
  sendMessage,
  portalUrl,
}: Pick<ActivityDeps, 'models' | 'sealer' | 'sendMessage' | 'portalUrl'>) {
  return {
    /**
     * Sends a customer the link to their points: only to the contact of the purchase, by email or,
     * without an address, by text message, within a daily quota. Each attempt creates a new link.
     * @returns NOBODY also if the purchase turned out to be another customer's
     */
    async sendPointsLink(request: PointsLinkRequest): Promise<PointsLinkOutcome> {
      const { partnerId, purchaseEventId, rewardId, customerId, mode } = request;
      const [event, reward, partner] = await Promise.all([
        models.orderEvents.findOne({ partnerId, _id: purchaseEventId }).orFail(),
        models.rewards.findOne({ partnerId, _id: rewardId }, { customerId: 1, correction: 1 }),
        models.partners.findById(partnerId).orFail(),
      ]);
      if (reward !== null && reward.customerId !== customerId) return 'NOBODY';
      const contact = await openContact({ models, sealer }, event, reward?.correction);
      if (contact === null) return 'NOBODY';
      const { email, phone } = contact;
      if (email === null && (phone === null || !isTextable(phone))) return 'NOBODY';
      const counted = { kind: 'LINK', mode, customerId } as const;
      const giveBack = await takeMailQuota(models, counted, Date.now());
      if (giveBack === null) return 'TOO_MANY';
      try {
        const ofCustomer = { partnerId, customerId, mode, purchaseEventId };
        const { token, expiresAt } = await createPointsLink(models, ofCustomer, Date.now());
        const localizer = localizerOf(
          request.language ?? languageOf(partner),
          customerTimeZone(partner),
        );
        const link = pointsUrlOf(portalUrl, token);
        const about = { id: request.id, mode, localizer, link, portalUrl, endsAt: expiresAt };
        const message =
          email !== null
            ? pointsMail(partner, about, email)
            : pointsText(partner, about, phone as string);
        const deps = { models, sendMessage };
        const sealed = { ...message, purchaseEventId };
        if (!(await sendToCustomer(deps, partner, mode, sealed, customerId))) return 'TOO_MANY';
        return email !== null ? 'EMAIL' : 'SMS';
      } catch (error) {
        await giveBack();
        if (error instanceof UnreachableError) return 'UNREACHABLE';
        throw error;
      }
    },
  };
}
