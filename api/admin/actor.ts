import type { OperatorActor } from '../../operations/actor.ts';
import type { AdminContext } from './context.ts';

/** The operator who asks; their token stands for a second factor. */
export function actorOf({ state: { operator, requestId } }: AdminContext): OperatorActor {
  const { operatorId: id, role } = operator;
  return { kind: 'operator', id, role, requestId, factor: 'TOKEN' };
}
