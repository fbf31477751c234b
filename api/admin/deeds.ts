import { trailOf } from '../../deeds/trail.ts';
import type { Doer } from '../../models/commands/deeds.ts';
import type { AdminContext } from './context.ts';

/** The operator who asks, as the trail names them. */
export function doerOf({ state: { admin, requestId } }: AdminContext): Doer {
  return { actorId: admin.adminId, approvedBy: null, requestId };
}

export const { deed, noteRead } = trailOf(doerOf);
