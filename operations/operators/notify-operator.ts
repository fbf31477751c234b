import { type NotifyDeps, notifyOfChange } from '../account/notify-of-change.ts';
import type { OperationDeps } from '../deps.ts';

export type NotifyOperatorDeps = NotifyDeps & Pick<OperationDeps, 'models' | 'log'>;

/**
 * Tells an operator by email what was changed about them, where they have an address. The change stands
 * all the same: a mail server that is away keeps nobody from revoking.
 * @param what as a sentence
 */
export async function notifyOperator(
  deps: NotifyOperatorDeps,
  operatorId: string,
  what: string,
): Promise<void> {
  const user = await deps.models.users.findOne({ operatorId, email: { $ne: null } }).lean();
  if (!user) return;
  await notifyOfChange(deps, user, what).catch((error: unknown) =>
    deps.log.error({ err: error, operatorId }, 'the operator was not told of a change'),
  );
}
