import { customerTimeZone } from '../domain/branding.ts';
import { isTextable, mailPatienceMs, type UndeliveredReason } from '../domain/messages.ts';
import { type Message, UnreachableError } from '../messaging/message.ts';
import { type Localizer, localizerOf } from '../messaging/words/localizer.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { openContact } from '../models/rewards/contact.ts';
import { noteUndelivered } from '../models/rewards/undelivered.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { ActivityDeps } from './deps.ts';
import { channelOf, languageOf, type MessageOutcome, sendToCustomer } from './messages.ts';

/** A customer of a partner, reached by email or else by text message. */
export type Recipient = {
  partner: PartnerDoc;
  localizer: Localizer;
  /** The purchase that gave the contact. */
  purchaseEventId: string;
} & ({ email: string; phone: null } | { email: null; phone: string });

/** The reward of a customer's newest purchase in a mode; null if there is none. */
export const newestReward = (
  { rewards }: Pick<Models, 'rewards'>,
  { partnerId, customerId, mode }: Pick<RewardDoc, 'partnerId' | 'customerId' | 'mode'>,
): Promise<RewardDoc | null> =>
  rewards
    .findOne({ customerId, partnerId, mode })
    .sort({ _id: -1 })
    .hint({ customerId: 1, _id: -1 });

/**
 * Tells a customer something by the contact of their newest purchase.
 * @param dueAt since when it is due: if that is long ago, it is given up when it cannot be sent
 * @returns NOBODY if the partner notifies its customers itself, or the contact was erased
 * @throws Error if it could not be sent, and is not so late that it is given up
 */
export async function tellByNewestPurchase(
  {
    models,
    sealer,
    sendMessage,
    now,
  }: Pick<ActivityDeps, 'models' | 'sealer' | 'sendMessage' | 'now'>,
  newest: RewardDoc,
  dueAt: Date | null | undefined,
  write: (to: Recipient) => Message | Promise<Message>,
): Promise<MessageOutcome> {
  const { partnerId, mode, customerId } = newest;
  const isTooLate = now() - (dueAt?.getTime() ?? 0) > mailPatienceMs;
  const [partner, event] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    readOrderEvent(models, { partnerId, _id: newest.purchaseEventId }),
  ]);
  if (event.purchase?.delivery === 'PARTNER') return 'NOBODY';
  const contact = await openContact({ models, sealer }, event, newest.correction);
  if (contact === null) return 'NOBODY';
  const { email, phone } = contact;
  const language = newest.claimLanguage ?? languageOf(partner);
  const localizer = localizerOf(language, customerTimeZone(partner));
  const to = { partner, localizer, purchaseEventId: event._id };
  let message: Message;
  if (email !== null) message = await write({ ...to, email, phone: null });
  else if (phone !== null && isTextable(phone)) message = await write({ ...to, email, phone });
  else return 'NOBODY';
  const note = (reason: UndeliveredReason) =>
    noteUndelivered(models, newest, { channel: channelOf(message), reason, at: new Date() });
  try {
    const sealed = { ...message, purchaseEventId: event._id };
    const deps = { models, sendMessage };
    if (await sendToCustomer(deps, partner, mode, sealed, customerId)) return 'SENT';
    await note('TOO_MANY');
    return 'UNREACHABLE';
  } catch (error) {
    const isRefused = error instanceof UnreachableError;
    if (!isRefused && !isTooLate) throw error;
    await note(isRefused ? 'REFUSED' : 'GIVEN_UP');
    return 'UNREACHABLE';
  }
}
