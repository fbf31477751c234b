import type { Mode } from '../domain/mode.ts';
import { verifiedContact } from '../domain/partner-contact.ts';
import { isMail, type Mail, type Message, type SendMessage } from '../messaging/message.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import { takeMailQuota } from '../models/store/mail-quotas.ts';

/** What became of an email to a partner's contact. */
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
  const giveBack = await takeMailQuota(models, counted, Date.now());
  if (giveBack === null) return 'TOO_MANY';
  try {
    await sendMessage({ ...mail, to });
    return 'SENT';
  } catch (error) {
    await giveBack();
    throw error;
  }
}

/**
 * Sends a message to a customer. TEST never reaches a stranger: its emails go to the partner's
 * contact, or only to the outbox if there is no verified contact or its daily quota is used up.
 */
export async function sendToCustomer(
  { models, sendMessage }: { models: Models; sendMessage: SendMessage },
  partner: PartnerDoc,
  mode: Mode,
  message: Message,
): Promise<void> {
  if (mode === 'LIVE' || !isMail(message)) {
    await sendMessage(message);
    return;
  }
  const mailed = await mailContact({ models, sendMessage }, partner, 'TEST', message);
  if (mailed !== 'SENT') await sendMessage({ ...message, staysInOutbox: true });
}
