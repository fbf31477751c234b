import { customerTimeZone } from '../domain/branding.ts';
import { claimUrlOf } from '../domain/delivery.ts';
import { defaultLanguage, type Language } from '../domain/languages.ts';
import type { Channel, UndeliveredReason } from '../domain/messages.ts';
import type { SealedPurchase } from '../domain/purchase.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { isTextable } from '../domain/text-messages.ts';
import { customerMail, customerText, type MessageReason } from '../messaging/customer-messages.ts';
import { isMail, type Message, type SendMessage, UnreachableError } from '../messaging/message.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { noteUndelivered } from '../models/rewards/undelivered.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { dataKeyIdOf, openEvent } from '../models/store/data-keys.ts';
import type { ActivityDeps } from './deps.ts';
import { sendToCustomer } from './mail-contact.ts';

/** What became of a message: there may be no recipient, or one who cannot be reached. */
export type MessageOutcome = 'SENT' | 'NOBODY' | 'UNREACHABLE';

/** How many of a customer's newest rewards are searched for the language in which they claim. */
const rewardsSearched = 10;

/** The language of messages to a partner's customers. */
export const languageOf = ({ branding }: Pick<PartnerDoc, 'branding'>): Language =>
  branding?.language ?? defaultLanguage;

const channelOf = (message: Message): Channel => (isMail(message) ? 'EMAIL' : 'SMS');

type CustomerMessagesDeps = Pick<
  ActivityDeps,
  'models' | 'sealer' | 'sendMessage' | 'sendMessageAtOnce' | 'portalUrl'
>;

export type CustomerMessages = ReturnType<typeof createCustomerMessages>;

/** The messages to customers about their rewards. */
export function createCustomerMessages({
  models,
  sealer,
  sendMessage,
  sendMessageAtOnce,
  portalUrl,
}: CustomerMessagesDeps) {
  return { send, trySend };

  /**
   * Sends a reward's customer a message: by email or, without an address, by text message.
   * @param isTooLate whether one that cannot be sent is given up, which the reward then records
   */
  async function send(
    reward: RewardSnapshot,
    reason: MessageReason,
    isTooLate: () => boolean,
  ): Promise<MessageOutcome> {
    const { partner, message } = await messageAbout(reward, reason);
    if (message === undefined) return 'NOBODY';
    try {
      return await sendClaim(reward, partner, message, sendMessage);
    } catch (error) {
      if (!isTooLate()) throw error;
      await note(reward, 'GIVEN_UP', channelOf(message));
      return 'UNREACHABLE';
    }
  }

  /**
   * Tries once to send the claim link, which fails immediately while a gateway is unavailable.
   * @returns false if it is still to be sent
   */
  async function trySend(reward: RewardSnapshot): Promise<boolean> {
    const { partner, message } = await messageAbout(reward, 'OFFER');
    if (message === undefined) return true;
    return await sendClaim(reward, partner, message, sendMessageAtOnce).then(
      () => true,
      () => false,
    );
  }

  async function sendClaim(
    reward: RewardSnapshot,
    partner: PartnerDoc,
    message: Message,
    sendBy: SendMessage,
  ): Promise<MessageOutcome> {
    try {
      await sendToCustomer({ models, sendMessage: sendBy }, partner, reward.mode, message);
      return 'SENT';
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await note(reward, 'REFUSED', channelOf(message));
      return 'UNREACHABLE';
    }
  }

  async function note(
    { partnerId, rewardId, mode }: RewardSnapshot,
    reason: UndeliveredReason,
    channel: Channel,
  ): Promise<void> {
    const undelivered = { channel, reason, at: new Date() };
    await noteUndelivered(models, { partnerId, _id: rewardId, mode }, undelivered);
  }

  /**
   * The message to a customer about a reward; none if the partner delivers the link, the customer was
   * erased, or the purchase gave a number that cannot be texted.
   */
  async function messageAbout(
    reward: RewardSnapshot,
    reason: MessageReason,
  ): Promise<{ partner: PartnerDoc; message?: Message }> {
    const { partnerId, purchaseEventId } = reward;
    const [event, partner] = await Promise.all([
      readOrderEvent(models, { partnerId, _id: purchaseEventId }),
      models.partners.findById(partnerId).orFail(),
    ]);
    if (event.purchase?.delivery === 'PARTNER') return { partner };
    const opened = await openEvent({ models, sealer }, event);
    if (opened === null) return { partner };
    const { email, phone, claimToken }: SealedPurchase = JSON.parse(opened);
    const chosen = await claimLanguageOf(reward);
    const facts = {
      localizer: localizerOf(chosen ?? languageOf(partner), customerTimeZone(partner)),
      reason,
      link: claimUrlOf(portalUrl, claimToken),
      portalUrl,
      currency: event.purchase?.currency ?? partner.currency,
    };
    const dataKeyId = dataKeyIdOf(event);
    if (email !== null) {
      return { partner, message: { ...customerMail(reward, partner, facts, email), dataKeyId } };
    }
    if (phone === null) return { partner };
    if (isTextable(phone)) {
      return { partner, message: { ...customerText(reward, partner, facts, phone), dataKeyId } };
    }
    await note(reward, 'NOT_TEXTABLE', 'SMS');
    return { partner };
  }

  /**
   * The language in which the customer claimed this reward or, if it is unclaimed, the newest reward that
   * they claimed before it; undefined if they have claimed none recently.
   */
  async function claimLanguageOf({
    partnerId,
    rewardId,
    customerId,
    mode,
  }: RewardSnapshot): Promise<Language | undefined> {
    const claimed = await models.rewards.collection
      .find<Pick<RewardDoc, 'claimLanguage'>>(
        { customerId, partnerId, mode, _id: { $lte: rewardId } },
        { projection: { claimLanguage: 1 } },
      )
      .sort({ _id: -1 })
      .limit(rewardsSearched)
      .toArray();
    return claimed.find(({ claimLanguage }) => claimLanguage !== undefined)?.claimLanguage;
  }
}
