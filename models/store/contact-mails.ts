import type { Mode } from '../../domain/mode.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';
import { addWithin } from './add-within.ts';

/**
 * How many mails go to partners' contacts in a UTC day, from one partner and to one address alike. What is of
 * TEST takes nothing away from LIVE.
 */
export const contactMailsADay: Record<ContactMail['kind'], number> = {
  CODE: 10,
  TEST: 200,
  LIVE: 200,
};

/** A mail to a partner's contact: a code that verifies the address, or what is of a mode. */
export interface ContactMail {
  kind: Mode | 'CODE';
  partnerId: string;
  to: string;
}

/**
 * Counts a mail before it is sent: of several at once none is past the bounds.
 * @returns what gives it back where it was not sent; null where today's bound is reached
 */
export async function takeContactMail(
  { mailCounts }: Models,
  { kind, partnerId, to }: ContactMail,
  nowMs: number,
): Promise<(() => Promise<void>) | null> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const limit = contactMailsADay[kind];
  const taken: string[] = [];
  const giveBack = async () => {
    await mailCounts.updateMany({ _id: { $in: taken } }, { $inc: { count: -1 } });
  };
  const expiresAt = new Date(nowMs + 2 * dayMs);
  for (const scope of [`partner:${partnerId}`, `address:${to.toLowerCase()}`]) {
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
