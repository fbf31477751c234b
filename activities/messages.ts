import { customerTimeZone } from '../domain/branding.ts';
import { claimUrlOf } from '../domain/delivery.ts';
import { defaultLanguage, type Language } from '../domain/languages.ts';
import type { Channel, UndeliveredReason } from '../domain/messages.ts';
import { moneyText } from '../domain/money.ts';
import type { SealedPurchase } from '../domain/purchase.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { isTextable } from '../domain/text-messages.ts';
import {
  customerMail,
  customerText,
  type MessageReason,
  subjectPrefix,
} from '../messaging/customer-messages.ts';
import { isMail, type Message, type SendMessage, UnreachableError } from '../messaging/message.ts';
import { portalMail } from '../messaging/portal-mails.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { teamText } from '../messaging/words/team-en.ts';
import { readRunway } from '../models/billing/index.ts';
import { noteUndelivered } from '../models/rewards/undelivered.ts';
import type { IntegrationDoc } from '../models/schemas/integration.ts';
import type { PartnerDoc } from '../models/schemas/partner.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
import { dataKeyIdOf, openUnder } from '../models/store/data-keys.ts';
import {
  createDocumentLoader,
  createPartnerLoader,
  type EventLoader,
} from '../models/store/loaders.ts';
import type { ActivityDeps } from './deps.ts';
import { mailContact, sendToCustomer } from './mail-contact.ts';

/** What became of a message: there may be no recipient, or one who cannot be reached. */
type MessageOutcome = 'SENT' | 'NOBODY' | 'UNREACHABLE';

/** The language of messages to a partner's customers. */
export const languageOf = ({ branding }: Pick<PartnerDoc, 'branding'>): Language =>
  branding?.language ?? defaultLanguage;

/** How many of a customer's newest rewards are searched for the language in which they claim. */
const rewardsSearched = 10;

const channelOf = (message: Message): Channel => (isMail(message) ? 'EMAIL' : 'SMS');

export function messageActivities(
  { models, usage, sealer, sendMessage, sendMessageAtOnce, portalUrl }: ActivityDeps,
  events: Pick<EventLoader, 'find'>,
) {
  const findPartner = createPartnerLoader(models);
  const findKey = createDocumentLoader(models.dataKeys);

  return {
    /**
     * Sends the customer the claim link by one of the channels that the purchase gave. TEST never
     * reaches a stranger, since anybody may have typed the address or number (docs/domain.md,
     * Reaching people): such a message goes to the partner's own contact, if verified, or stays in
     * the outbox.
     * @returns NOBODY if there is no such contact, or it was erased
     */
    async sendClaimLink(reward: RewardSnapshot, channel: Channel): Promise<MessageOutcome> {
      return await sendBy(reward, 'OFFER', (one) => channelOf(one) === channel);
    },

    /**
     * Sends the claim link by all channels, with one attempt each, which fails immediately while a
     * gateway is unavailable.
     * @returns the channels by which it is still to be sent
     */
    async tryClaimLink(reward: RewardSnapshot): Promise<Channel[]> {
      const { partner, messages } = await claimMessages(reward, 'OFFER');
      const left = await Promise.all(
        messages.map(async (message) => {
          try {
            await sendClaim(reward, partner, message, sendMessageAtOnce);
            return [];
          } catch {
            return [channelOf(message)];
          }
        }),
      );
      return left.flat();
    },

    /**
     * Reminds the customer of an unclaimed reward, by email or, without an address, by text
     * message.
     * @returns NOBODY if the partner delivers the claim links: it reminds customers itself
     */
    async sendReminder(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await sendBy(reward, 'REMINDER', (one, { length }) => length === 1 || isMail(one));
    },

    /**
     * Notifies the customer that claimed points were taken back, in the language they claimed in.
     * @returns NOBODY if the partner delivers the claim links: it notifies customers itself
     */
    async sendTakenBack(reward: RewardSnapshot, channel: Channel): Promise<MessageOutcome> {
      return await sendBy(reward, 'TAKEN_BACK', (one) => channelOf(one) === channel);
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
      const partner = await models.partners.findById(partnerId).lean().orFail();
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

  /** Sends the first of a reward's messages that `isChosen` accepts. */
  async function sendBy(
    reward: RewardSnapshot,
    reason: MessageReason,
    isChosen: (one: Message, all: readonly Message[]) => boolean,
  ): Promise<MessageOutcome> {
    const { partner, messages } = await claimMessages(reward, reason);
    const message = messages.find((one) => isChosen(one, messages));
    return message ? await sendClaim(reward, partner, message, sendMessage) : 'NOBODY';
  }

  async function sendClaim(
    reward: RewardSnapshot,
    partner: PartnerDoc,
    message: Message,
    send: SendMessage,
  ): Promise<MessageOutcome> {
    try {
      await sendToCustomer({ models, sendMessage: send }, partner, reward.mode, message);
      return 'SENT';
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await note(reward, channelOf(message), 'REFUSED');
      return 'UNREACHABLE';
    }
  }

  async function note(
    { partnerId, rewardId, mode }: RewardSnapshot,
    channel: Channel,
    reason: UndeliveredReason,
    at = new Date(),
  ): Promise<void> {
    const undelivered = { channel, reason, at };
    await noteUndelivered(models, { partnerId, _id: rewardId, mode }, undelivered);
  }

  /**
   * The messages to a customer about a reward: none if the partner delivers the link, or the
   * customer was erased.
   */
  async function claimMessages(
    reward: RewardSnapshot,
    reason: MessageReason,
  ): Promise<{ partner: PartnerDoc; messages: Message[] }> {
    const { partnerId, purchaseEventId } = reward;
    const [event, partner] = await Promise.all([
      events.find(partnerId, purchaseEventId),
      findPartner(partnerId),
    ]);
    const nobody = { partner, messages: [] };
    if (event.purchase?.delivery === 'PARTNER') return nobody;
    const dataKeyId = dataKeyIdOf(event);
    const key = await findKey(partnerId, dataKeyId);
    const opened = openUnder(sealer, key, { ...event, context: purchaseEventId });
    if (opened === null) return nobody;
    const { email, phone, claimToken }: SealedPurchase = JSON.parse(opened);
    const messages: Message[] = [];
    const chosen = await chosenLanguageOf(reward);
    const localizer = localizerOf(chosen ?? languageOf(partner), customerTimeZone(partner));
    const currency = event.purchase?.currency ?? partner.currency;
    const facts = {
      localizer,
      reason,
      link: claimUrlOf(portalUrl, claimToken),
      portalUrl,
      currency,
    };
    if (email !== null) messages.push(customerMail(reward, partner, facts, email));
    if (phone !== null && (email === null || (await isTextedToo(reward)))) {
      if (isTextable(phone)) messages.push(customerText(reward, partner, facts, phone));
      else await note(reward, 'SMS', 'NOT_TEXTABLE');
    }
    return { partner, messages: messages.map((message) => ({ ...message, dataKeyId })) };
  }

  /**
   * The language in which the customer claimed this reward or, if it is unclaimed, the newest reward that
   * they claimed before it; undefined if they have claimed none recently.
   */
  async function chosenLanguageOf({
    partnerId,
    rewardId,
    customerId,
    mode,
  }: RewardSnapshot): Promise<Language | undefined> {
    const claimed: Pick<RewardDoc, '_id' | 'claimLanguage'>[] = await models.rewards
      .find({ customerId, partnerId, mode, _id: { $lte: rewardId } }, { claimLanguage: 1 })
      .sort({ _id: -1 })
      .limit(rewardsSearched)
      .lean();
    return claimed.find(({ claimLanguage }) => claimLanguage !== undefined)?.claimLanguage;
  }

  /** Whether customers with an email address also get a text message. */
  async function isTextedToo({ partnerId, integrationId }: RewardSnapshot): Promise<boolean> {
    const integration: Pick<IntegrationDoc, 'alsoText'> | null = await models.integrations
      .findOne({ partnerId, _id: integrationId }, { alsoText: 1 })
      .lean();
    return integration?.alsoText === true;
  }
}
