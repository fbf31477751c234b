import { accountChangeMail } from '../../messaging/portal-mails.ts';
import type { OperationDeps } from '../deps.ts';

export type NotifyDeps = Pick<OperationDeps, 'now' | 'sendMessage'> & {
  config: { portal: { url: string } };
};

/**
 * Tells somebody by email what was changed about their account: if it was not they, somebody else is at
 * work.
 * @param what as a sentence, such as "Your password was changed."
 */
export async function notifyOfChange(
  { now, sendMessage, config }: NotifyDeps,
  { _id: userId, email }: { _id: string; email: string | null },
  what: string,
): Promise<void> {
  if (email === null) return;
  await sendMessage(accountChangeMail(config.portal.url, email, { userId, what, at: now() }));
}
