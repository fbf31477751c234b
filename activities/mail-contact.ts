import type { Mode } from '../domain/mode.ts';
import { verifiedContact } from '../domain/partner-contact.ts';
import { isMail, type Mail, type Message, type SendMessage } from '../messaging/message.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partner.ts';
import { takeContactMail } from '../models/store/contact-mails.ts';

/** What was done about a mail to a partner's contact. */
type Mailed = 'SENT' | 'NO_EMAIL' | 'TOO_MANY';

/**
 * Mails a partner's contact, where it is verified, and not more a day than one may have.
 * @throws Error where it was not sent; it counts for nothing then
 */
export async function mailContact(
  { models, sendMessage }: { models: Models; sendMessage: SendMessage },
  partner: PartnerDoc,
  mode: Mode,
  mail: Omit<Mail, 'to'>,
): Promise<Mailed> {
  const to = verifiedContact(partner);
  if (to === null) return 'NO_EMAIL';
  const counted = { kind: mode, partnerId: partner._id, to };
  const giveBack = await takeContactMail(models, counted, Date.now());
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
 * Sends a customer's message. TEST reaches no stranger: its mail goes to the partner's contact, or to the outbox where
 * there is none that is verified, or it had enough today.
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
