import { customerTimeZone } from '../domain/branding.ts';
import type { Channel } from '../domain/messages.ts';
import { type PointsLinkRequest, pointsUrlOf } from '../domain/points-link.ts';
import type { SealedPurchase } from '../domain/purchase.ts';
import { isTextable } from '../domain/text-messages.ts';
import { pointsMail, pointsText } from '../messaging/customer-messages.ts';
import { UnreachableError } from '../messaging/message.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { createPointsLink } from '../models/identity/points-links.ts';
import { dataKeyIdOf, openEvent } from '../models/store/data-keys.ts';
import { createPartnerLoader } from '../models/store/loaders.ts';
import { takeMailQuota } from '../models/store/mail-quotas.ts';
import { languageOf } from './customer-messages.ts';
import type { ActivityDeps } from './deps.ts';
import { sendToCustomer } from './mail-contact.ts';

/** What became of a link that a customer requested. */
type PointsLinkOutcome = Channel | 'NOBODY' | 'TOO_MANY' | 'UNREACHABLE';

export function pointsLinkActivities({
  models,
  sealer,
  sendMessage,
  portalUrl,
}: Pick<ActivityDeps, 'models' | 'sealer' | 'sendMessage' | 'portalUrl'>) {
  const findPartner = createPartnerLoader(models);

  return {
    /**
     * Sends a customer the link to their points: only to the contact that the purchase gave, by
     * email or, without an address, by text message, within a daily quota. Each attempt creates a
     * new link.
     */
    async sendPointsLink(request: PointsLinkRequest): Promise<PointsLinkOutcome> {
      const { partnerId, purchaseEventId, customerId, mode } = request;
      const [event, partner] = await Promise.all([
        // Not from the cache: a cached event may still contain its key after the customer was
        // erased.
        models.orderEvents.findOne({ partnerId, _id: purchaseEventId }).orFail(),
        findPartner(partnerId),
      ]);
      const opened = await openEvent({ models, sealer }, event);
      if (opened === null) return 'NOBODY';
      const { email, phone }: SealedPurchase = JSON.parse(opened);
      if (email === null && (phone === null || !isTextable(phone))) return 'NOBODY';
      const counted = { kind: 'LINK', mode, customerId } as const;
      const giveBack = await takeMailQuota(models, counted, Date.now());
      if (giveBack === null) return 'TOO_MANY';
      try {
        const dataKeyId = dataKeyIdOf(event);
        const ofCustomer = { partnerId, customerId, mode, dataKeyId };
        const { token, expiresAt } = await createPointsLink(models, ofCustomer, Date.now());
        const localizer = localizerOf(
          request.language ?? languageOf(partner),
          customerTimeZone(partner),
        );
        const link = pointsUrlOf(portalUrl, token);
        const facts = { mode, localizer, link, portalUrl, endsAt: expiresAt };
        const message =
          email !== null
            ? pointsMail(partner, facts, email)
            : pointsText(partner, facts, phone as string);
        await sendToCustomer({ models, sendMessage }, partner, mode, { ...message, dataKeyId });
        return email !== null ? 'EMAIL' : 'SMS';
      } catch (error) {
        await giveBack();
        if (error instanceof UnreachableError) return 'UNREACHABLE';
        throw error;
      }
    },
  };
}
