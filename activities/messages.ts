import { activityInfo } from '@temporalio/activity';
import { mailPatienceMs } from '../domain/messages.ts';
import { moneyText } from '../domain/money.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { subjectPrefix } from '../messaging/customer-messages.ts';
import { daysWords, portalMail } from '../messaging/portal-mails.ts';
import { readRunway } from '../models/billing/index.ts';
import type { CustomerMessages, MessageOutcome } from './customer-messages.ts';
import type { ActivityDeps } from './deps.ts';
import { mailContact } from './mail-contact.ts';

/**
 * The activities that send messages to customers and partners, retried on their own queue for days. One
 * that gives up records that, and ends.
 */
export function messageActivities(
  { models, sendMessage, portalUrl }: ActivityDeps,
  { send }: CustomerMessages,
) {
  return {
    /**
     * Sends the customer the claim link. TEST never reaches a stranger, since anybody may have typed the
     * address or number (docs/domain.md, Reaching people).
     * @returns NOBODY if the purchase gave no contact, or it was erased
     */
    async sendClaimLink(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await send(reward, 'OFFER', isTooLate);
    },

    /**
     * Reminds the customer of an unclaimed reward.
     * @returns NOBODY if the partner delivers the claim links: it reminds customers itself
     */
    async sendReminder(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await send(reward, 'REMINDER', isTooLate);
    },

    /**
     * Notifies the customer that claimed points were taken back, in the language they claimed in.
     * @returns NOBODY if the partner delivers the claim links: it notifies customers itself
     */
    async sendTakenBack(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await send(reward, 'TAKEN_BACK', isTooLate);
    },

    /** Emails the partner that funds are short or running low. */
    async mailPartner({
      rewardId,
      partnerId,
      integrationId,
      mode,
      fundingNotice,
    }: RewardSnapshot): Promise<Awaited<ReturnType<typeof mailContact>> | 'TOO_LATE'> {
      if (fundingNotice === null || isTooLate()) return 'TOO_LATE';
      const { missingCents, lowBalanceCents } = fundingNotice;
      const partner = await models.partners.findById(partnerId).orFail();
      const money = (cents: number) => moneyText(cents, partner.currency);
      const threshold = money(partner.lowBalanceThresholdCents);
      const days =
        lowBalanceCents === null
          ? null
          : await readRunway(models, partnerId, lowBalanceCents, new Date().toISOString());
      const missing = money(missingCents ?? 0);
      const lasting = days === null ? '' : `At the current rate, it lasts ${daysWords(days)}. `;
      const { id, subject, text } =
        missingCents === null
          ? {
              id: `low-balance-${rewardId}`,
              subject: `${subjectPrefix(mode)}Your reward funding is down to ${money(lowBalanceCents ?? 0)}`,
              text: `Your reward funding has fallen below ${threshold}. ${lasting}Top it up so that rewards are still funded at once.`,
            }
          : {
              id: `awaiting-funding-${rewardId}`,
              subject: `A ${mode} reward is waiting for funding: ${missing} is missing`,
              text: `Your funding doesn’t cover the reward ${rewardId}: ${missing} is missing. Once you top up, the reward is funded and the customer can claim it. Rewards are funded first come, first served, so later ones are waiting too.`,
            };
      const path = mode === 'LIVE' ? '/funding' : `/integrations/${integrationId}?mode=TEST`;
      const link = { text: 'View your funding', url: portalUrl + path };
      const mail = portalMail({ id, subject }, { paragraphs: [text], link });
      return await mailContact({ models, sendMessage }, partner, mode, mail);
    },
  };
}

/** Whether a message was scheduled so long ago that it is given up. */
const isTooLate = (): boolean => Date.now() - activityInfo().scheduledTimestampMs > mailPatienceMs;
