import type { Mode } from '../domain/mode.ts';
import { verifiedContact } from '../domain/partner-contact.ts';
import type { Mail, SendMessage } from '../messaging/message.ts';
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
