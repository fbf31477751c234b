import type { Mode } from '../../domain/mode.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';
import { addWithin } from './add-within.ts';

/**
 * How many mails go to partners' contacts in a UTC day, from one partner and to one address alike; and how many
 * links to their points to one customer of a partner. What is of TEST takes nothing away from LIVE.
 */
export const contactMailsADay: Record<CountedMail['kind'], number> = {
  CODE: 10,
  TEST: 200,
  LIVE: 200,
  LINK: 5,
};

/** A mail to a partner's contact: a code that verifies the address, or what is of a mode. */
export interface ContactMail {
  kind: Mode | 'CODE';
  partnerId: string;
  to: string;
}

/** A link to a customer's points. They are known by a keyed hash: an address would be personal. */
interface LinkMessage {
  kind: 'LINK';
  mode: Mode;
  customerId: string;
}

type CountedMail = ContactMail | LinkMessage;

const scopesOf = (mail: CountedMail): string[] =>
  mail.kind === 'LINK'
    ? [`${mail.mode} customer:${mail.customerId}`]
    : [`partner:${mail.partnerId}`, `address:${mail.to.toLowerCase()}`];

/**
 * Counts a mail before it is sent: of several at once none is past the bounds.
 * @returns what gives it back where it was not sent; null where today's bound is reached
 */
export async function takeContactMail(
  { mailCounts }: Models,
  mail: CountedMail,
  nowMs: number,
): Promise<(() => Promise<void>) | null> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const { kind } = mail;
  const limit = contactMailsADay[kind];
  const taken: string[] = [];
  const giveBack = async () => {
    await mailCounts.updateMany({ _id: { $in: taken } }, { $inc: { count: -1 } });
  };
  const expiresAt = new Date(nowMs + 2 * dayMs);
  for (const scope of scopesOf(mail)) {
    const _id = `${kind} ${scope}:${day}`;
    if (await addWithin(mailCounts, { _id, expiresAt }, 'count', { by: 1, limit })) {
      taken.push(_id);
    } else {
      if (taken.length > 0) await giveBack();
      return null;
    }
  }
  return giveBack;
}
