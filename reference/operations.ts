import { headers } from './headers.ts';
import type { Content, Method, OperationObject, OperationResponse, Parameter } from './openapi.ts';
import { IdempotencyKey } from './parameters.ts';
import * as refused from './responses.ts';
import type { Schema } from './shapes.ts';

/** Who sends a request, how that is proven, and how it is refused if it is not. */
const callers = {
  partner: {
    security: [{ apiKey: [], timestamp: [], signature: [] }],
    errors: { 401: refused.NotAuthenticated, 403: refused.NotAuthorized },
  },
  program: {
    security: [{ accessToken: [] }],
    errors: { 401: refused.InvalidAccessToken, 403: refused.NotAllowedToProgram },
  },
  operator: {
    security: [{ adminToken: [] }],
    errors: { 401: refused.InvalidAdminToken, 403: refused.Forbidden },
  },
  anyone: { security: [], errors: {} },
} as const;

const always = { 429: refused.RateLimited, 500: refused.Internal, 503: refused.Unavailable };
const ofBodies = { 408: refused.RequestTimeout, 413: refused.TooLarge, 415: refused.NotJson };

/** An operation as it is written here; what all of its kind have in common is added. */
interface Described {
  id: string;
  summary: string;
  description?: string;
  by: keyof typeof callers;
  parameters?: readonly Parameter[];
  /** JSON. */
  body?: Schema;
  /** What is not only JSON, or has an example. */
  bodies?: Content;
  /** By status: when it is given, what it contains, and links from it. */
  gives: Readonly<
    Record<number, [description: string, schema: Schema, links?: Record<string, object>]>
  >;
  /** By status, besides or instead of those that all operations of its kind have. */
  errors?: Readonly<Record<number, OperationResponse>>;
  /** False if it has an idempotency key, but stores no response. */
  replays?: boolean;
  /** The statuses of its kind that it does not have. */
  never?: readonly number[];
}

/** An operation, and how it is sent. */
export interface Sent {
  path: string;
  method: Method;
  operation: Omit<OperationObject, 'tags'>;
}

/** Operations that a reader looks for together. */
export interface Section {
  name: string;
  description: string;
  operations: readonly Sent[];
}

export const section = (
  name: string,
  description: string,
  operations: readonly Sent[],
): Section => ({ name, description, operations });

const sent =
  (method: Method) =>
  (path: string, one: Described): Sent => {
    const { id, summary, description, by, parameters, body, bodies, gives, errors, never } = one;
    const { replays = parameters?.includes(IdempotencyKey) } = one;
    const content = body ? { 'application/json': { schema: body } } : bodies;
    const { security, errors: ofCaller } = callers[by];
    const refusals: Record<string, OperationResponse> = {
      ...ofCaller,
      ...always,
      ...(content && ofBodies),
      ...errors,
    };
    for (const status of never ?? []) delete refusals[status];
    const given = {
      'X-Request-Id': headers.RequestId,
      ...(by === 'partner' && {
        'RateLimit-Policy': headers.RateLimitPolicy,
        RateLimit: headers.RateLimit,
      }),
      ...(replays && {
        'Idempotent-Replayed': headers.IdempotentReplayed,
      }),
    };
    const answers = Object.entries(gives).map(([status, [when, schema, links]]) => [
      status,
      {
        description: when,
        headers: given,
        content: { 'application/json': { schema } },
        ...(links && { links }),
      },
    ]);
    return {
      path,
      method,
      operation: {
        operationId: id,
        summary,
        ...(description !== undefined && { description }),
        security,
        ...(parameters && { parameters }),
        ...(content && { requestBody: { required: true, content } }),
        responses: { ...Object.fromEntries(answers), ...refusals },
      },
    };
  };

export const get = sent('get');
export const post = sent('post');
export const patch = sent('patch');
export const remove = sent('delete');
