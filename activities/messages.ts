import type { Channel } from '../domain/messages.ts';
import { moneyText } from '../domain/money.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { subjectPrefix } from '../messaging/customer-messages.ts';
import { isMail } from '../messaging/message.ts';
import { portalMail } from '../messaging/portal-mails.ts';
import { teamText } from '../messaging/words/team-en.ts';
import { readRunway } from '../models/billing/index.ts';
import { type CustomerMessages, channelOf, type MessageOutcome } from './customer-messages.ts';
import type { ActivityDeps } from './deps.ts';
import { mailContact } from './mail-contact.ts';

/** The activities that send messages to customers and partners, retried on their own queue. */
export function messageActivities(
  { models, usage, sendMessage, portalUrl }: ActivityDeps,
  { send, note }: CustomerMessages,
) {
  return {
    /**
     * Sends the customer the claim link by one of the channels that the purchase gave. TEST never
     * reaches a stranger, since anybody may have typed the address or number (docs/domain.md,
     * Reaching people): such a message goes to the partner's own contact, if verified, or stays in
     * the outbox.
     * @returns NOBODY if the purchase gave no such contact, or it was erased
     */
    async sendClaimLink(reward: RewardSnapshot, channel: Channel): Promise<MessageOutcome> {
      return await send(reward, 'OFFER', (one) => channelOf(one) === channel);
    },

    /**
     * Reminds the customer of an unclaimed reward, by email or, without an address, by text
     * message.
     * @returns NOBODY if the partner delivers the claim links: it reminds customers itself
     */
    async sendReminder(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await send(reward, 'REMINDER', (one, { length }) => length === 1 || isMail(one));
    },

    /**
     * Notifies the customer that claimed points were taken back, in the language they claimed in.
     * @returns NOBODY if the partner delivers the claim links: it notifies customers itself
     */
    async sendTakenBack(reward: RewardSnapshot, channel: Channel): Promise<MessageOutcome> {
      return await send(reward, 'TAKEN_BACK', (one) => channelOf(one) === channel);
    },

    /**
     * Records on the reward that its customer could not be reached despite all retries.
     * @param at ISO 8601
     */
    async noteUndelivered(reward: RewardSnapshot, channel: Channel, at: string): Promise<void> {
      await note(reward, channel, 'GIVEN_UP', new Date(at));
    },

    /** Emails the partner that funds are short or running low. */
    async mailPartner(
      { rewardId, partnerId, integrationId, mode }: RewardSnapshot,
      {
        missingCents,
        lowBalanceCents,
      }: { missingCents: number | null; lowBalanceCents: number | null },
    ): Promise<Awaited<ReturnType<typeof mailContact>>> {
      const partner = await models.partners.findById(partnerId).orFail();
      const money = (cents: number) => moneyText(cents, partner.currency);
      const threshold = money(partner.lowBalanceThresholdCents);
      const days =
        lowBalanceCents === null
          ? null
          : await readRunway(usage, partnerId, lowBalanceCents, new Date().toISOString());
      const missing = money(missingCents ?? 0);
      const { id, subject, text } =
        missingCents === null
          ? {
              id: `low-balance-${rewardId}`,
              subject: `${subjectPrefix(mode)}${teamText('funding.low.subject', { balance: money(lowBalanceCents ?? 0) })}`,
              text:
                days === null
                  ? teamText('funding.low', { threshold })
                  : teamText('funding.low.lasting', { threshold, days }),
            }
          : {
              id: `awaiting-funding-${rewardId}`,
              subject: teamText('funding.short.subject', { mode, missing }),
              text: teamText('funding.short', { rewardId, missing }),
            };
      const path = mode === 'LIVE' ? '/funding' : `/integrations/${integrationId}?mode=TEST`;
      const link = { text: teamText('funding.button'), url: portalUrl + path };
      const mail = portalMail({ id, subject }, { paragraphs: [text], link });
      return await mailContact({ models, sendMessage }, partner, mode, mail);
    },
  };
}
