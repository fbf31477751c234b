import { type NotifyDeps, notifyOfChange } from './account.ts';
import type { OperationDeps } from './deps.ts';

export type NotifyOwnersDeps = NotifyDeps & Pick<OperationDeps, 'log'>;

/**
 * Tells the owners of a partner by email what operators did there. A failure never fails what was done.
 * @param deps without a way to send, as in a set-up by command, nobody is told
 * @param what a sentence
 */
export async function notifyOwners(
  deps: Pick<OperationDeps, 'models'> & Partial<NotifyOwnersDeps>,
  partnerId: string,
  what: string,
): Promise<void> {
  const { models, now, sendMessage, config, log } = deps;
  if (!now || !sendMessage || !config || !log) return;
  const owners = await models.users.find({ partnerId, role: 'owner', disabledAt: null });
  for (const owner of owners) {
    await notifyOfChange({ models, now, sendMessage, config, log }, owner, what);
  }
}
