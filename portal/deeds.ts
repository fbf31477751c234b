import {
  type Completion,
  carryOut,
  type Deed,
  type Doer,
  type Read,
  recordRead,
} from '../models/commands/deeds.ts';
import type { PortalDeps } from './deps.ts';

interface Asked {
  state: { viewer: { actorId: string }; requestId: string };
}

type DeedDeps = Pick<PortalDeps, 'models' | 'now'>;

/** Who is signed in, as the audit trail names them. */
export function doerOf({ state: { viewer, requestId } }: Asked): Doer {
  return { actorId: viewer.actorId, approvedBy: null, requestId };
}

/** Does what a form asks for, with its entry in the audit trail before and after. */
export async function deed<T>(
  deps: DeedDeps,
  ctx: Asked,
  what: Deed,
  command: () => Promise<T>,
  completionOf?: (outcome: T) => Completion,
): Promise<T> {
  return await carryOut(deps, doerOf(ctx), what, command, completionOf);
}

/** Leaves an entry for reading what is a customer's, or was sealed. */
export async function noteRead(deps: DeedDeps, ctx: Asked, read: Read): Promise<void> {
  await recordRead(deps, doerOf(ctx), read);
}
