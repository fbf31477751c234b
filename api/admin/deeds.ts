import {
  type Completion,
  carryOut,
  type Deed,
  type Doer,
  type Read,
  recordRead,
} from '../../models/commands/deeds.ts';
import type { ApiDeps } from '../deps.ts';
import type { AdminContext } from './context.ts';

type DeedDeps = Pick<ApiDeps, 'models' | 'now'>;

/** The operator who asks, as the trail names them. */
export function doerOf({ state: { admin, requestId } }: AdminContext): Doer {
  return { actorId: admin.adminId, approvedBy: null, requestId };
}

/** Does what a write route does, with its entry in the audit trail before and after. */
export async function deed<T>(
  deps: DeedDeps,
  ctx: AdminContext,
  what: Deed,
  command: () => Promise<T>,
  completionOf?: (outcome: T) => Completion,
): Promise<T> {
  return await carryOut(deps, doerOf(ctx), what, command, completionOf);
}

/** Leaves an entry for reading what is a customer's, or was sealed. */
export async function noteRead(deps: DeedDeps, ctx: AdminContext, read: Read): Promise<void> {
  await recordRead(deps, doerOf(ctx), read);
}
