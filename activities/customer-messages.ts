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
import { noteUndelivered } from '../models/rewards/undelivered.ts';
import type { DataKeyDoc } from '../models/schemas/customers.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { dataKeyIdOf, openUnder } from '../models/store/data-keys.ts';
import {
  createDocumentLoader,
  createPartnerLoader,
  type EventLoader,
} from '../models/store/loaders.ts';
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
export function createCustomerMessages(
  { models, sealer, sendMessage, sendMessageAtOnce, portalUrl }: CustomerMessagesDeps,
  events: Pick<EventLoader, 'find'>,
) {
  const findPartner = createPartnerLoader(models);
  const findKey = createDocumentLoader<DataKeyDoc>(models.dataKeys);

  return { send, tryClaimLink, noteGivenUp };

  async function send(reward: RewardSnapshot, reason: MessageReason): Promise<MessageOutcome> {
    const { partner, message } = await claimMessage(reward, reason);
    return message ? await sendClaim(reward, partner, message, sendMessage) : 'NOBODY';
  }

  /**
   * Sends the claim link, with one attempt, which fails immediately while the gateway is unavailable.
   * @returns whether it is still to be sent
   */
  async function tryClaimLink(reward: RewardSnapshot): Promise<boolean> {
    try {
      const { partner, message } = await claimMessage(reward, 'OFFER');
      if (message) await sendClaim(reward, partner, message, sendMessageAtOnce);
      return false;
    } catch {
      return true;
    }
  }

  /** Notes that a reward's customer could not be reached despite all retries. */
  async function noteGivenUp(reward: RewardSnapshot, at: Date): Promise<void> {
    const { message } = await claimMessage(reward, 'OFFER');
    if (message) await note(reward, channelOf(message), 'GIVEN_UP', at);
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
   * The message to a customer about a reward, an email if the purchase gave an address: null if the
   * partner delivers the link, or the customer was erased.
   */
  async function claimMessage(
    reward: RewardSnapshot,
    reason: MessageReason,
  ): Promise<{ partner: PartnerDoc; message: Message | null }> {
    const { partnerId, purchaseEventId } = reward;
    const [event, partner] = await Promise.all([
      events.find(partnerId, purchaseEventId),
      findPartner(partnerId),
    ]);
    const nobody = { partner, message: null };
    if (event.purchase?.delivery === 'PARTNER') return nobody;
    const dataKeyId = dataKeyIdOf(event);
    const key = await findKey(partnerId, dataKeyId);
    const opened = openUnder(sealer, key, { ...event, context: purchaseEventId });
    if (opened === null) return nobody;
    const { email, phone, claimToken }: SealedPurchase = JSON.parse(opened);
    const chosen = await claimLanguageOf(reward);
    const localizer = localizerOf(chosen ?? languageOf(partner), customerTimeZone(partner));
    const currency = event.purchase?.currency ?? partner.currency;
    const facts = {
      localizer,
      reason,
      link: claimUrlOf(portalUrl, claimToken),
      portalUrl,
      currency,
    };
    if (email !== null) {
      return { partner, message: { ...customerMail(reward, partner, facts, email), dataKeyId } };
    }
    if (phone === null) return nobody;
    if (!isTextable(phone)) {
      await note(reward, 'SMS', 'NOT_TEXTABLE');
      return nobody;
    }
    return { partner, message: { ...customerText(reward, partner, facts, phone), dataKeyId } };
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
