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
  /** Whether the input is the body's fields and the path's parameters, rather than these alone. */
  body?: boolean;
  /** The response contains a secret, which is shown only once; it is sent with `no-store`. */
  secret?: boolean;
  respond(outcome: Outcome, input: Input): RouteResponse | Promise<RouteResponse>;
}

type Method = 'post' | 'patch' | 'delete';

export type OperationRoutes = ReturnType<typeof createOperationRoutes>;

/** Makes the routes that change something. Each adapts one operation to HTTP. */
export function createOperationRoutes(router: Router<OperatorState>, deps: ApiDeps) {
  const responders = new Map<string, RouteOptions<never, never>['respond']>();

  /** Responds with the outcome, or with 202 and the proposal if a second operator must approve. */
  function route<Input extends object, Outcome, Found, Approval>(
    method: Method,
    path: string,
    operation: Operation<Input, Outcome, Found, ApiDeps, Approval>,
    { body: hasBody = false, secret = false, respond }: RouteOptions<Input, Outcome>,
  ): void {
    responders.set(operation.name, respond);
    const body = hasBody ? jsonBody : (_ctx: OperatorContext, next: Next) => next();
    router[method](path, requirePermission(permissionOf(operation)), body, async (ctx) => {
      const input = inputOf<Input>(ctx, hasBody);
      if (secret) ctx.set('Cache-Control', 'no-store');
      const executed = await executedBy<Input, Outcome>(ctx, operation as AnyOperation, input);
      const response = executed.isDone
        ? await respond(executed.outcome, input)
        : { status: 202, body: { proposal: presentProposal(deps, executed.proposal) } };
      Object.assign(ctx, response);
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
    /** Sets the response to the approval of an operation that has no route here. */
    respondToApproved<Input, Outcome>(
      { name }: Pick<Operation<Input, Outcome, never, ApiDeps, unknown>, 'name' | 'run'>,
      respond: RouteOptions<Input, Outcome>['respond'],
    ): void {
      responders.set(name, respond);
    },
    /** The body with which the route of an approved operation would have responded. */
    async responseTo({ operation, input, outcome }: ApprovedOperation): Promise<object> {
      const respond = responders.get(operation.name);
      if (!respond) throw new Error(`${operation.name} has no response`);
      return (await respond(outcome as never, input as never)).body;
    },
  };
}

function permissionOf({ name, permission }: Pick<AnyOperation, 'name' | 'permission'>) {
  if (typeof permission === 'object' && permission.operator !== null) return permission.operator;
  throw new Error(`${name} is not for operators`);
}

/**
 * The unvalidated input, which `execute` validates.
 * @throws ServiceError VALIDATION_FAILED if the body has a field that the path determines
 */
function inputOf<Input>(ctx: OperatorContext, hasBody: boolean): Input {
  const sent = hasBody ? objectOf(ctx) : {};
  const twice = Object.keys(ctx.params).find((name) => name in sent);
  if (twice !== undefined)
    throw new ServiceError('VALIDATION_FAILED', `${twice} is not a known field`);
  return { ...sent, ...ctx.params } as Input;
}
