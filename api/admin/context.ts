import type { Router } from '@koa/router';
import type { ObjectSchema } from 'joi';
import type { Next, ParameterizedContext } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { isAdmissionOver, isProviderDecisive } from '../../domain/group-roles.ts';
import {
  may,
  type Permission,
  permittedRoles,
  proposalStatusAt,
  type Role,
} from '../../domain/operators.ts';
import { parseJson } from '../../http/json.ts';
import { touchEveryMs } from '../../models/identity/last-use.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { OperatorTokenDoc } from '../../models/schemas/people.ts';
import type { OperatorActor } from '../../operations/actor.ts';
import type { ApprovedOperation } from '../../operations/approve.ts';
import { type Executed, execute } from '../../operations/execute.ts';
import { type AnyOperation, isSensitive, type Operation } from '../../operations/operation.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { check } from '../../platform/validation.ts';
import { type ApiState, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { rawBody } from '../middleware/request.ts';

/** A proposal without its arguments, which may identify a customer. */
export function presentProposal({ now }: Pick<ApiDeps, 'now'>, proposal: ProposalDoc) {
  const { _id: proposalId, action, partnerId, targetId, details, shown, expiresAt } = proposal;
  const { proposedBy, proposedAt, decidedBy, decidedAt, reason, carriedOutAt } = proposal;
  return {
    proposalId,
    action,
    partnerId,
    targetId,
    details,
    facts: shown,
    status: proposalStatusAt(proposal, now()),
    proposedBy,
    proposedAt,
    expiresAt,
    decidedBy,
    decidedAt,
    reason,
    carriedOutAt,
  };
}

/** The signed-in operator as an actor. A bearer token counts as a second factor. */
export function operatorActorOf({
  state: { operator, requestId },
}: OperatorContext): OperatorActor {
  const { operatorId: id, role } = operator;
  return { kind: 'operator', id, role, requestId, factor: 'TOKEN' };
}

/**
 * Admits operators with an active bearer token. The token is looked up by its hash on every request,
 * without a cache, so that a revocation takes effect with the next one.
 * @throws ServiceError AUTHENTICATION_MISSING without a token; INVALID_ADMIN_TOKEN for one that is
 *   unknown, revoked or expired
 */
export function authenticateOperator({
  config,
  models,
  now,
  log,
}: Pick<ApiDeps, 'config' | 'models' | 'now' | 'log'>) {
  return async (ctx: OperatorContext, next: Next): Promise<void> => {
    const [, text] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(ctx.get('authorization')) ?? [];
    if (text === undefined) {
      throw new ServiceError(
        'AUTHENTICATION_MISSING',
        'Send an operator’s token as Authorization: Bearer <token>.',
        { 'WWW-Authenticate': 'Bearer' },
      );
    }
    const hash = sha256Hex(text);
    const operator = await models.operators.findOne({ 'tokens.hash': hash });
    const token = operator?.tokens.find((one) => one.hash === hash);
    if (!operator || !token || operator.revokedAt || token.revokedAt) {
      throw invalid('This token does not belong to an active operator.');
    }
    if (token.expiresAt.getTime() <= now()) {
      throw invalid(
        'This token has expired. Sign in to the portal and create one under Your tokens.',
      );
    }
    const { _id: operatorId, name, role } = operator;
    if (await mustSignIn(operatorId)) {
      throw invalid(
        'Sign in to the portal again, at your organization: then this token counts again.',
      );
    }
    ctx.state.operator = { operatorId, name, role, tokenId: token.tokenId };
    touch(operatorId, token, ctx.state.address);
    await next();
  };

  /** Whether the identity provider has to let them in again. Somebody without an account never signs in. */
  async function mustSignIn(operatorId: string): Promise<boolean> {
    if (!isProviderDecisive(config)) return false;
    const user = await models.users.findOne({ operatorId, disabledAt: null }, { admittedAt: 1 });
    return user !== null && isAdmissionOver(config, user.admittedAt, now());
  }

  /** Records when and from where the token was used, without delaying the request. */
  function touch(_id: string, { tokenId, lastUsedAt }: OperatorTokenDoc, address: string): void {
    const at = new Date(now());
    const before = new Date(now() - touchEveryMs);
    if (lastUsedAt && lastUsedAt > before) return;
    const isStale = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: before } }] };
    models.operators
      .updateOne(
        { _id, tokens: { $elemMatch: { tokenId, ...isStale } } },
        { $set: { 'tokens.$.lastUsedAt': at, 'tokens.$.lastUsedFrom': address } },
      )
      .catch((error) =>
        log.warn({ err: error, operatorId: _id }, 'could not record the last use of a token'),
      );
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_ADMIN_TOKEN', message, {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });
}

/** The operator whose bearer token was accepted. */
export interface AuthenticatedOperator {
  operatorId: string;
  name: string;
  role: Role;
  /** The token that authenticated the request. */
  tokenId: string;
}

export interface OperatorState extends ApiState {
  operator: AuthenticatedOperator;
}

export type OperatorContext = ParameterizedContext<OperatorState> & {
  params: Record<string, string>;
};

/** Reads the body of a write, at most 64 KiB of JSON. */
export const jsonBody = (ctx: OperatorContext, next: Next): Promise<void> => rawBody(ctx, next);

/**
 * The validated body.
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function checkBody<T>(ctx: OperatorContext, schema: ObjectSchema<T>): T {
  return check(schema, parseJson(requireState(ctx, 'rawBody')));
}

/**
 * The validated query. An unknown parameter is refused: ignoring a misspelled filter would return
 * more than was asked for.
 * @throws ServiceError VALIDATION_FAILED
 */
export function checkQuery<T>(ctx: OperatorContext, schema: ObjectSchema<T>): T {
  return check(schema, { ...ctx.query });
}

/**
 * The body, which is only known to be a JSON object.
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function objectOf(ctx: OperatorContext): object {
  const value = parseJson(requireState(ctx, 'rawBody'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new ServiceError('VALIDATION_FAILED', 'body must be an object');
}

/**
 * Requires a permission (docs/operate/roles.md, Two operators). Every route has this middleware; a test finds
 * it by its property `permission`, and calls every route as every role.
 * @throws ServiceError FORBIDDEN
 */
export function requirePermission(permission: Permission) {
  const check = async (ctx: OperatorContext, next: Next): Promise<void> => {
    const { role } = ctx.state.operator;
    if (!may(role, permission)) {
      const allowed = permittedRoles[permission].join(' or ');
      throw new ServiceError(
        'FORBIDDEN',
        `Your role, ${role}, does not allow ${permission}. It requires ${allowed}.`,
      );
    }
    await next();
  };
  return Object.assign(check, { permission });
}

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
    const actor = operatorActorOf(ctx);
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
