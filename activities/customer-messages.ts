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
import type { IntegrationDoc } from '../models/schemas/integrations.ts';
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

export const channelOf = (message: Message): Channel => (isMail(message) ? 'EMAIL' : 'SMS');

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

  return { send, tryClaimLink, note };

  /** Sends the first of a reward's messages that `isChosen` accepts. */
  async function send(
    reward: RewardSnapshot,
    reason: MessageReason,
    isChosen: (one: Message, all: readonly Message[]) => boolean,
  ): Promise<MessageOutcome> {
    const { partner, messages } = await claimMessages(reward, reason);
    const message = messages.find((one) => isChosen(one, messages));
    return message ? await sendClaim(reward, partner, message, sendMessage) : 'NOBODY';
  }

  /**
   * Sends the claim link by all channels, with one attempt each, which fails immediately while a
   * gateway is unavailable.
   * @returns the channels by which it is still to be sent
   */
  async function tryClaimLink(reward: RewardSnapshot): Promise<Channel[]> {
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

  /** Whether customers with an email address also get a text message. */
  async function isTextedToo({ partnerId, integrationId }: RewardSnapshot): Promise<boolean> {
    const integration: Pick<IntegrationDoc, 'alsoText'> | null = await models.integrations.findOne(
      { partnerId, _id: integrationId },
      { alsoText: 1 },
    );
    return integration?.alsoText === true;
  }
}
