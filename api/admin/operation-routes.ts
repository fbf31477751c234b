import type { Router } from '@koa/router';
import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import type { ApprovedOperation } from '../../operations/approve.ts';
import { type Executed, execute } from '../../operations/execute.ts';
import { type AnyOperation, isSensitive, type Operation } from '../../operations/operation.ts';
import type { ApiDeps } from '../deps.ts';
import { actorOf } from './actor.ts';
import { jsonBody, type OperatorContext, type OperatorState, objectOf } from './context.ts';
import { presentProposal } from './present-proposal.ts';
import { requirePermission } from './require-permission.ts';

export interface RouteResponse {
  status: number;
  body: object;
}

interface RouteOptions<Input, Outcome> {
  /** Its fields and the path's parameters are the operation's input; without it the path alone is. */
  body?: boolean;
  /** The answer shows a secret, this once: no proxy or browser may keep it. */
  secret?: boolean;
  answer(outcome: Outcome, input: Input): RouteResponse | Promise<RouteResponse>;
}

type Method = 'post' | 'patch' | 'delete';

/** Operators ask for the same through several routes of one operation, where its input says which. */
export type OperationRoutes = ReturnType<typeof createOperationRoutes>;

/** Routes that do something: each an adapter between HTTP and one operation. */
export function createOperationRoutes(router: Router<OperatorState>, deps: ApiDeps) {
  const answers = new Map<string, RouteOptions<never, never>>();

  /** Answers with the outcome, or with 202 and the proposal where another operator has to approve. */
  function route<Input extends object, Outcome, Found, Approval>(
    method: Method,
    path: string,
    operation: Operation<Input, Outcome, Found, ApiDeps, Approval>,
    answering: RouteOptions<Input, Outcome>,
  ): void {
    answers.set(operation.name, answering as RouteOptions<never, never>);
    const body = answering.body ? jsonBody : (_ctx: OperatorContext, next: Next) => next();
    router[method](path, requirePermission(permissionOf(operation)), body, async (ctx) => {
      const input = inputOf<Input>(ctx, answering.body ?? false);
      if (answering.secret) ctx.set('Cache-Control', 'no-store');
      const executed = await executedBy<Input, Outcome>(ctx, operation as AnyOperation, input);
      const answer = executed.isDone
        ? await answering.answer(executed.outcome, input)
        : { status: 202, body: { proposal: presentProposal(deps, executed.proposal) } };
      Object.assign(ctx, answer);
    });
  }

  async function executedBy<Input, Outcome>(
    ctx: OperatorContext,
    operation: AnyOperation,
    input: Input,
  ): Promise<Executed<Outcome>> {
    const actor = actorOf(ctx);
    if (isSensitive(operation)) return await execute(deps, operation, actor, input);
    return { isDone: true, outcome: await execute(deps, operation, actor, input) };
  }

  return {
    route,
    /** What an approval of what another face asks for is answered with. */
    answer<Input, Outcome>(
      { name }: Pick<Operation<Input, Outcome, never, ApiDeps, unknown>, 'name' | 'run'>,
      answer: RouteOptions<Input, Outcome>['answer'],
    ): void {
      answers.set(name, { answer } as RouteOptions<never, never>);
    },
    /** What the route of an operation would have answered with. */
    async responseTo({ operation, input, outcome }: ApprovedOperation): Promise<object> {
      const answering = answers.get(operation.name);
      if (!answering) throw new Error(`nothing answers ${operation.name}`);
      return (await answering.answer(outcome as never, input as never)).body;
    },
  };
}

function permissionOf({ name, permission }: Pick<AnyOperation, 'name' | 'permission'>) {
  if (typeof permission === 'object' && permission.operator !== null) return permission.operator;
  throw new Error(`${name} is not for operators`);
}

/** As it was sent: `execute` checks it. What the path says stands in no body. */
function inputOf<Input>(ctx: OperatorContext, hasBody: boolean): Input {
  const sent = hasBody ? objectOf(ctx) : {};
  const twice = Object.keys(ctx.params).find((name) => name in sent);
  if (twice !== undefined)
    throw new ServiceError('VALIDATION_FAILED', `${twice} is not a known field`);
  return { ...sent, ...ctx.params } as Input;
}
