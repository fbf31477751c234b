import type { Next, ParameterizedContext } from 'koa';
import type { RequestType } from '../domain/request.ts';
import type { HttpState } from '../http/context.ts';
import type { Principal } from './principals.ts';

/** What the middlewares hand on to each other and to the handlers. */
export interface ApiState extends HttpState {
  /** What the signed request asks for. */
  requestType?: RequestType;
  /** Whose key the request names. That they sent it is not proved yet. */
  keyHolder?: Principal;
  /** Whose signature held. */
  principal?: Principal;
  rawBody?: Buffer;
  idempotencyKeyHash?: string;
  payloadHash?: string;
  externalOrderId?: string;
  eventId?: string;
  /** Set where the integration event of this request is written with the event that it recorded. */
  recorded?: boolean;
}

export type ApiContext = ParameterizedContext<ApiState>;
export type ApiMiddleware = (ctx: ApiContext, next: Next) => Promise<void>;
/** What answers a request, given its checked body. */
export type BodyHandler<Body> = (ctx: ApiContext, body: Body) => Promise<void>;

/** What a middleware further up was to leave behind; its absence is a fault in the order of middlewares. */
export function requireState<K extends keyof ApiState>(
  ctx: ApiContext,
  key: K,
): NonNullable<ApiState[K]> {
  const value = ctx.state[key];
  if (value === undefined || value === null) throw new Error(`ctx.state.${key} was not set`);
  return value as NonNullable<ApiState[K]>;
}
