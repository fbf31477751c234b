import { activityInfo } from '@temporalio/activity';
import { customerTimeZone } from '../domain/branding.ts';
import { verifiedContact } from '../domain/customer.ts';
import { defaultLanguage, type Language } from '../domain/languages.ts';
import {
  type Channel,
  isTextable,
  type MessageReason,
  mailPatienceMs,
  type UndeliveredReason,
} from '../domain/messages.ts';
import type { Mode } from '../domain/mode.ts';
import { moneyText } from '../domain/money.ts';
import { claimUrlOf } from '../domain/purchase.ts';
import { isHeldAt, type RewardSnapshot } from '../domain/reward.ts';
import type { SendAgainRequest } from '../domain/workflow-names.ts';
import { customerMail, customerText, subjectPrefix } from '../messaging/customer-messages.ts';
import {
  isMail,
  type Mail,
  type Message,
  type SendMessage,
  UnreachableError,
} from '../messaging/message.ts';
import { daysWords, portalMail } from '../messaging/portal-mails.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { readRunway } from '../models/billing/index.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { openContact } from '../models/rewards/contact.ts';
import { toSnapshot } from '../models/rewards/snapshot.ts';
import { notePartnerTold, noteSent, noteUndelivered } from '../models/rewards/undelivered.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { sendCounted } from '../models/store/mail-quotas.ts';
import type { ActivityDeps } from './deps.ts';

/** What happened to an email to a partner's contact. */
type EmailOutcome = 'SENT' | 'NO_EMAIL' | 'TOO_MANY';

/**
 * Sends an email to a partner's contact, if that is verified and its daily quota is not used up.
 * @throws Error if it could not be sent; it does not count against the quota then
 */
export async function mailContact(
  { models, sendMessage }: { models: Models; sendMessage: SendMessage },
  partner: PartnerDoc,
  mode: Mode,
  mail: Omit<Mail, 'to'>,
): Promise<EmailOutcome> {
  const to = verifiedContact(partner);
  if (to === null) return 'NO_EMAIL';
  const counted = { kind: mode, partnerId: partner._id, to };
  const deps = { models, sendMessage, now: Date.now };
  return (await sendCounted(deps, { ...mail, to }, counted)) ? 'SENT' : 'TOO_MANY';
}

/**
 * Sends a message to a customer. TEST never reaches a stranger: its emails go to the partner's contact, or only
 * to the message folder if there is no verified contact or its daily quota is used up; its texts stay there.
 * @returns whether it was sent; in LIVE not once a quota is used up
 */
export async function sendToCustomer(
  { models, sendMessage }: { models: Models; sendMessage: SendMessage },
  partner: PartnerDoc,
  mode: Mode,
  message: Message,
  customerId: string,
): Promise<boolean> {
  const deps = { models, sendMessage, now: Date.now };
  const counted = { kind: 'CUSTOMER', customerId, partner } as const;
  if (mode === 'LIVE') return await sendCounted(deps, message, counted);
  if (isMail(message) && (await mailContact(deps, partner, 'TEST', message)) === 'SENT')
    return true;
  return await sendCounted(deps, { ...message, staysInFolder: true }, counted);
}

/**
 * The activities that send messages to customers and partners, retried on their own queue for days. One
 * that gives up records that, and ends.
 */
export function messageActivities(
  { models, sendMessage, portalUrl, now }: ActivityDeps,
  { send }: CustomerMessages,
) {
  return {
    /**
     * Sends the customer the claim link. TEST never reaches a stranger, since anybody may have typed the
     * address or number (docs/concepts/messages.md).
     * @returns NOBODY if the purchase gave no contact, or it was erased
     */
    async sendClaimLink(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await send(reward, 'OFFER', isTooLate);
    },

    /**
     * Tells the customer of points on hold, and when they can be claimed.
     * @returns NOBODY if the hold is over by now, or the partner delivers the claim links: it tells customers itself
     */
    async sendOnHold(reward: RewardSnapshot): Promise<MessageOutcome> {
      return isHeldAt(reward, now()) ? await send(reward, 'ON_HOLD', isTooLate) : 'NOBODY';
    },

    /**
     * Sends the claim link again, since the partner's team asked for it.
     * @returns NOBODY also if the reward can no longer be claimed
     */
    async sendClaimLinkAgain({
      id,
      partnerId,
      rewardId,
    }: SendAgainRequest): Promise<MessageOutcome> {
      const reward = await models.rewards.findOne({ partnerId, _id: rewardId }).orFail();
      if (reward.state !== 'FUNDED') return 'NOBODY';
      return await send({ ...toSnapshot(reward), again: id }, 'OFFER', () =>
        isOlderThan(againPatienceMs),
      );
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

    /**
     * Tells the contact that a purchase gave by mistake that it was corrected.
     * @returns NOBODY if the partner delivers the claim links, or it was erased
     */
    async sendCorrected(reward: RewardSnapshot): Promise<MessageOutcome> {
      return await send(reward, 'CORRECTED', isTooLate);
    },

    /**
     * Emails the partner that funds are short or running low, unless it was told, or too late to tell it, in an
     * earlier run of the workflow.
     */
    async mailPartner({
      rewardId,
      partnerId,
      mode,
      fundingNotice,
    }: RewardSnapshot): Promise<EmailOutcome | 'TOLD' | 'TOO_LATE'> {
      if (fundingNotice === null || isTooLate()) return 'TOO_LATE';
      const { missingCents, lowBalanceCents } = fundingNotice;
      const [partner, stored] = await Promise.all([
        models.partners.findById(partnerId).orFail(),
        models.rewards
          .findOne({ partnerId, _id: rewardId }, { fundingNotice: 1, moves: 1 })
          .orFail(),
      ]);
      if (stored.fundingNotice?.toldAt) return 'TOLD';
      const decided = stored.moves.findLast(({ move }) => move === 'FUND' || move === 'RUN_SHORT');
      if (now() - (decided?.at.getTime() ?? 0) > mailPatienceMs) return 'TOO_LATE';
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
              text: `Your funding doesn’t cover the reward ${rewardId}: ${missing} is missing. Once you top up, the reward is funded and the customer can claim it. Rewards are funded in the order of their purchases, so later ones are waiting too.`,
            };
      const path = mode === 'LIVE' ? '/funding' : '/funding#test-funding';
      const link = { text: 'View your funding', url: portalUrl + path };
      const mail = portalMail({ id, subject }, { paragraphs: [text], link });
      const outcome = await mailContact({ models, sendMessage }, partner, mode, mail);
      if (outcome === 'SENT') await notePartnerTold(models, { partnerId, _id: rewardId });
      return outcome;
    },
  };
}

/** Whether a message was scheduled so long ago that it is given up. */
export const isTooLate = (): boolean => isOlderThan(mailPatienceMs);

/** Somebody waits for a message that they send again, so it is given up before its workflow ends. */
const againPatienceMs = 50 * 60_000;

const isOlderThan = (ageMs: number): boolean =>
  Date.now() - activityInfo().scheduledTimestampMs > ageMs;

/** What happened to a message: there may be no recipient, or one who cannot be reached. */
export type MessageOutcome = 'SENT' | 'NOBODY' | 'UNREACHABLE';

/** How many of a customer's newest rewards are searched for the language in which they claim. */
const rewardsSearched = 50;

/** The language of messages to a partner's customers. */
export const languageOf = ({ branding }: Pick<PartnerDoc, 'branding'>): Language =>
  branding?.language ?? defaultLanguage;

/** How often the claim link was sent, or is: anew when a reward is reinstated, and when its contact is corrected. */
const offersIn = (moves: RewardDoc['moves']): number =>
  1 + moves.filter(({ move }) => move === 'REINSTATE' || move === 'CORRECT').length;

/** A message that is ready to be sent. */
interface Written {
  partner: PartnerDoc;
  reason: MessageReason;
  channel: Channel;
  message: Message;
  /** The customer whose quota it counts towards. */
  customerId: string;
  /** Whether the reward says that it was sent, perhaps by an earlier run of its workflow. */
  isSent: boolean;
}

/** What a caller has just read. */
interface Known {
  purchase?: OrderEventDoc | undefined;
  stored: Pick<RewardDoc, 'customerId' | 'correction' | 'moves' | 'sent'>;
}

export const channelOf = (message: Message): Channel => (isMail(message) ? 'EMAIL' : 'SMS');

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
    reward: RewardSnapshot & { again?: string },
    reason: MessageReason,
    isTooLate: () => boolean,
  ): Promise<MessageOutcome> {
    const written = await messageAbout(reward, reason);
    if (written === null) return 'NOBODY';
    if (written.isSent) return 'SENT';
    try {
      return await sendWritten(reward, written, sendMessage);
    } catch (error) {
      if (!isTooLate()) throw error;
      await note(reward, written, 'GIVEN_UP');
      return 'UNREACHABLE';
    }
  }

  /**
   * Tries once to send the claim link, which fails immediately while a gateway is unavailable.
   * @returns false if it is still to be sent
   */
  async function trySend(reward: RewardSnapshot, known?: Known): Promise<boolean> {
    const written = await messageAbout(reward, 'OFFER', known);
    if (written === null || written.isSent) return true;
    return await sendWritten(reward, written, sendMessageAtOnce).then(
      () => true,
      () => false,
    );
  }

  async function sendWritten(
    reward: RewardSnapshot,
    written: Written,
    sendBy: SendMessage,
  ): Promise<MessageOutcome> {
    const { partner, message, customerId } = written;
    try {
      const deps = { models, sendMessage: sendBy };
      if (!(await sendToCustomer(deps, partner, reward.mode, message, customerId))) {
        await note(reward, written, 'TOO_MANY');
        return 'UNREACHABLE';
      }
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await note(reward, written, 'REFUSED');
      return 'UNREACHABLE';
    }
    const { reason, channel } = written;
    const { id } = message;
    const { partnerId, rewardId: _id } = reward;
    // What is sent stays sent: without its record, it must not be sent again.
    const sent = { id, reason, channel, at: new Date() };
    await noteSent(models, { partnerId, _id }, sent).catch(() => undefined);
    return 'SENT';
  }

  /** Records that the reward's customer was not reached. A contact that was wrong is not theirs. */
  async function note(
    { partnerId, rewardId, mode }: RewardSnapshot,
    { reason, channel }: Pick<Written, 'reason' | 'channel'>,
    why: UndeliveredReason,
  ): Promise<void> {
    if (reason === 'CORRECTED') return;
    const undelivered = { channel, reason: why, at: new Date() };
    await noteUndelivered(models, { partnerId, _id: rewardId, mode }, undelivered);
  }

  /**
   * The message to a customer about a reward; none about one of 0 points, if the partner delivers the link, the
   * customer was erased, or the contact is a number that cannot be texted.
   */
  async function messageAbout(
    snapshot: RewardSnapshot & { again?: string },
    reason: MessageReason,
    known?: Known,
  ): Promise<Written | null> {
    const { partnerId, purchaseEventId, rewardId } = snapshot;
    const [event, stored, partner] = await Promise.all([
      known?.purchase ?? readOrderEvent(models, { partnerId, _id: purchaseEventId }),
      // The contact may have been corrected since the message was scheduled.
      known?.stored ??
        models.rewards
          .findOne(
            { partnerId, _id: rewardId },
            { customerId: 1, correction: 1, moves: 1, sent: 1 },
          )
          .orFail(),
      models.partners.findById(partnerId).orFail(),
    ]);
    if (event.purchase?.delivery === 'PARTNER' || snapshot.points === 0) return null;
    const { customerId, correction, moves, sent = [] } = stored;
    const isToWrong = reason === 'CORRECTED' && correction !== undefined;
    const contact = await openContact(
      { models, sealer },
      event,
      isToWrong ? undefined : correction,
    );
    if (contact === null) return null;
    const { email, phone, claimToken } = contact;
    const reward = {
      ...snapshot,
      offers: offersIn(moves),
      customerId: isToWrong ? correction.fromCustomerId : customerId,
    };
    const chosen = await claimLanguageOf(reward);
    const about = {
      localizer: localizerOf(chosen ?? languageOf(partner), customerTimeZone(partner)),
      reason,
      link: claimUrlOf(portalUrl, claimToken ?? ''),
      portalUrl,
      currency: event.purchase?.currency ?? partner.currency,
    };
    const writtenBy = (channel: Channel, of: Message): Written => ({
      partner,
      reason,
      customerId: reward.customerId,
      channel,
      message: { ...of, purchaseEventId },
      isSent: sent.some(({ id }) => id === of.id),
    });
    if (email !== null) return writtenBy('EMAIL', customerMail(reward, partner, about, email));
    if (phone === null) return null;
    if (isTextable(phone)) {
      return writtenBy('SMS', customerText(reward, partner, about, phone));
    }
    await note(snapshot, { reason, channel: 'SMS' }, 'NOT_TEXTABLE');
    return null;
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
  }: Pick<RewardSnapshot, 'partnerId' | 'rewardId' | 'customerId' | 'mode'>): Promise<
    Language | undefined
  > {
    const newest = await models.rewards.collection
      .find<Pick<RewardDoc, 'claimLanguage' | 'mode'>>(
        { customerId, partnerId, _id: { $lte: rewardId } },
        { projection: { claimLanguage: 1, mode: 1 } },
      )
      .sort({ _id: -1 })
      .limit(rewardsSearched)
      .toArray();
    return newest.find((one) => one.mode === mode && one.claimLanguage !== undefined)
      ?.claimLanguage;
  }
}
