import type { ObjectSchema } from 'joi';
import type { Next, ParameterizedContext } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import type { Role } from '../../domain/operator-roles.ts';
import { check } from '../../platform/check.ts';
import { type ApiState, requireState } from '../context.ts';
import { rawBody } from '../middleware/raw-body.ts';
import { parseJson } from '../middleware/validate.ts';

/** Who asks, once the bearer token held. */
export interface AuthenticatedOperator {
  operatorId: string;
  name: string;
  role: Role;
  /** The token that it asks with. */
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

/** A part of the path; the route's pattern says that it is there. */
export function param(ctx: OperatorContext, name: string): string {
  const value = ctx.params[name];
  if (value === undefined) throw new Error(`the route has no :${name}`);
  return value;
}

/**
 * The checked body.
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function bodyOf<T>(ctx: OperatorContext, schema: ObjectSchema<T>): T {
  return check(schema, parseJson(requireState(ctx, 'rawBody')));
}

/**
 * The checked query; an unknown parameter is refused by name, since a typo would widen the answer.
 * @throws ServiceError VALIDATION_FAILED
 */
export function queryOf<T>(ctx: OperatorContext, schema: ObjectSchema<T>): T {
  return check(schema, { ...ctx.query });
}

/**
 * The body, unchecked but for being an object.
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function objectOf(ctx: OperatorContext): object {
  const value = parseJson(requireState(ctx, 'rawBody'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new ServiceError('VALIDATION_FAILED', 'body must be an object');
}
