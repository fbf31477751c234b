import type { PageContext } from '../context.ts';

/** Who looks, as one who may decide a proposal. */
export const deciderOf = ({ state: { viewer } }: PageContext<'operator'>) => ({
  operatorId: viewer.actorId,
  role: viewer.role,
});
