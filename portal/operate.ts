import { ServiceError } from '../domain/errors.ts';
import type { OperatorActor, UserActor } from '../operations/actor.ts';
import { type Executed, execute } from '../operations/execute.ts';
import { type AnyOperation, isSensitive } from '../operations/operation.ts';
import { operatorPaths } from './components/links.ts';
import {
  type OperatorViewer,
  type PageContext,
  type PartnerViewer,
  type ProgramOfUser,
  redirect,
  type Viewer,
} from './context.ts';
import type { PageDeps } from './deps.ts';

interface ActorContext<V> {
  state: { viewer: V; requestId: string };
}

/** The signed-in user, or the owner of a program's token, as an actor of operations. */
export function actorOf(ctx: ActorContext<PartnerViewer | ProgramOfUser>): UserActor;
export function actorOf(ctx: ActorContext<OperatorViewer>): OperatorActor;
export function actorOf(ctx: ActorContext<Viewer>): UserActor | OperatorActor;
export function actorOf({
  state: { viewer, requestId },
}: ActorContext<Viewer | ProgramOfUser>): UserActor | OperatorActor {
  const { actorId: id } = viewer;
  const factor = 'session' in viewer ? viewer.session.secondFactorAt : null;
  if ('operator' in viewer) {
    throw new ServiceError(
      'FORBIDDEN',
      'You are viewing the portal as a partner and can’t change anything. Stop viewing to continue as an operator.',
    );
  }
  if ('partner' in viewer) {
    const { role, partner } = viewer;
    return { kind: 'user', id, role, partnerId: partner._id, requestId, factor };
  }
  return { kind: 'operator', id, role: viewer.role, requestId, factor };
}

/**
 * Carries out an operation for the viewer; only an operator's can end as a proposal.
 * @param given unchecked input
 * @throws ServiceError as `execute` does
 */
export async function carryOut<Outcome>(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  operation: AnyOperation,
  given: object,
): Promise<Executed<Outcome>> {
  const actor = actorOf(ctx);
  if (!isSensitive(operation)) {
    return { isDone: true, outcome: await execute(deps, operation, actor, given) };
  }
  if (actor.kind === 'operator') return await execute(deps, operation, actor, given);
  return { isDone: true, outcome: await execute(deps, operation, actor, given) };
}

/** Continues with `done`; if another operator has to approve, redirects to the proposal. */
export async function whenDone<Outcome>(
  ctx: PageContext<'user'>,
  executed: Executed<Outcome>,
  done: (outcome: Outcome) => void | Promise<void>,
): Promise<void> {
  if (executed.isDone) return await done(executed.outcome);
  redirect(
    ctx,
    `${operatorPaths.PROPOSAL}${executed.proposal._id}`,
    'Proposed. Nothing happens until another operator approves it.',
  );
}
