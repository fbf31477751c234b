import { trailOf } from '../deeds/trail.ts';
import type { Doer } from '../models/commands/deeds.ts';

interface Asked {
  state: { viewer: { actorId: string }; requestId: string };
}

/** Who is signed in, as the audit trail names them. */
export function doerOf({ state: { viewer, requestId } }: Asked): Doer {
  return { actorId: viewer.actorId, approvedBy: null, requestId };
}

export const { deed, noteRead } = trailOf(doerOf);
