import { type NotifyDeps, notifyOfChange } from '../account/notify-of-change.ts';
import type { OperationDeps } from '../deps.ts';

export type NotifyOperatorDeps = NotifyDeps & Pick<OperationDeps, 'models' | 'log'>;

/**
 * Notifies an operator with an email address of a change. A failure does not undo the change: revoking
 * must work without a mail server.
 * @param what a sentence
 */
export async function notifyOperator(
  deps: NotifyOperatorDeps,
  operatorId: string,
  what: string,
): Promise<void> {
  const user = await deps.models.users.findOne({ operatorId, email: { $ne: null } });
  if (!user) return;
  await notifyOfChange(deps, user, what).catch((error: unknown) =>
    deps.log.error({ err: error, operatorId }, 'the operator could not be notified of a change'),
  );
}
