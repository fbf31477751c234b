import type { Mode } from '../../domain/mode.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';
import { addWithinLimit } from './add-within-limit.ts';

/**
 * Daily (UTC) quotas of emails to partners' contacts, for each partner and each address, and of
 * links to their points for each customer of a partner. TEST does not use up the quotas of LIVE.
 */
export const dailyMailQuotas: Record<CountedMail['kind'], number> = {
  CODE: 10,
  TEST: 200,
  LIVE: 200,
  LINK: 5,
};

/** An email to a partner's contact: a code that verifies the address, or an email of a mode. */
export interface ContactMail {
  kind: Mode | 'CODE';
  partnerId: string;
  to: string;
}

/**
 * A link to a customer's points. Customers are identified by a keyed hash, since addresses are
 * personal data.
 */
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
 * Counts an email before it is sent. Concurrent calls never exceed the quota together.
 * @returns a function that returns the quota if the email was not sent; null if today's is used up
 */
export async function takeMailQuota(
  { mailCounts }: Models,
  mail: CountedMail,
  nowMs: number,
): Promise<(() => Promise<void>) | null> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const { kind } = mail;
  const limit = dailyMailQuotas[kind];
  const taken: string[] = [];
  const giveBack = async () => {
    await mailCounts.updateMany({ _id: { $in: taken } }, { $inc: { count: -1 } });
  };
  const expiresAt = new Date(nowMs + 2 * dayMs);
  for (const scope of scopesOf(mail)) {
    const _id = `${kind} ${scope}:${day}`;
    if (await addWithinLimit(mailCounts, { _id, expiresAt }, 'count', { by: 1, limit })) {
      taken.push(_id);
    } else {
      if (taken.length > 0) await giveBack();
      return null;
    }
  }
  return giveBack;
}
