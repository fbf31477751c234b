import type { PageContext } from '../context.ts';

/** The viewing operator as a potential approver of a proposal. */
export const deciderOf = ({ state: { viewer } }: PageContext<'operator'>) => ({
  operatorId: viewer.actorId,
  role: viewer.role,
});
