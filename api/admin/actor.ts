import type { OperatorActor } from '../../operations/actor.ts';
import type { OperatorContext } from './context.ts';

/** The signed-in operator as an actor. A bearer token counts as a second factor. */
export function actorOf({ state: { operator, requestId } }: OperatorContext): OperatorActor {
  const { operatorId: id, role } = operator;
  return { kind: 'operator', id, role, requestId, factor: 'TOKEN' };
}
