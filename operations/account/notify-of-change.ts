import { accountChangeMail } from '../../messaging/portal-mails.ts';
import type { OperationDeps } from '../deps.ts';

export type NotifyDeps = Pick<OperationDeps, 'now' | 'sendMessage'> & {
  config: { portal: { url: string } };
};

/**
 * Notifies a user by email of a change to their account, so that they notice if somebody else made it.
 * @param what a sentence, such as "Your password was changed."
 */
export async function notifyOfChange(
  { now, sendMessage, config }: NotifyDeps,
  { _id: userId, email }: { _id: string; email: string | null },
  what: string,
): Promise<void> {
  if (email === null) return;
  await sendMessage(accountChangeMail(config.portal.url, email, { userId, what, at: now() }));
}
