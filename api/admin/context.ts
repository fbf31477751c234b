import type { ObjectSchema } from 'joi';
import type { Next, ParameterizedContext } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import type { Role } from '../../domain/operator-roles.ts';
import { check } from '../../platform/check.ts';
import { type ApiState, requireState } from '../context.ts';
import { rawBody } from '../middleware/raw-body.ts';
import { parseJson } from '../middleware/validate.ts';

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
 * A parameter of the path.
 * @throws Error if the route's pattern does not have it
 */
export function param(ctx: OperatorContext, name: string): string {
  const value = ctx.params[name];
  if (value === undefined) throw new Error(`the route has no :${name}`);
  return value;
}

/**
 * The validated body.
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function bodyOf<T>(ctx: OperatorContext, schema: ObjectSchema<T>): T {
  return check(schema, parseJson(requireState(ctx, 'rawBody')));
}

/**
 * The validated query. An unknown parameter is refused: ignoring a misspelled filter would return
 * more than was asked for.
 * @throws ServiceError VALIDATION_FAILED
 */
export function queryOf<T>(ctx: OperatorContext, schema: ObjectSchema<T>): T {
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
