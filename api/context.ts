import type { Next, ParameterizedContext } from 'koa';
import type { RequestType } from '../domain/events.ts';
import type { Principal } from './principals.ts';

/** What the middlewares hand on to each other and to the handlers. */
export interface ApiState {
  requestId: string;
  /** Where the request came from: an IPv4 or IPv6 address. */
  address: string;
  /** The route's pattern, never the path itself: a path may hold a claim token. */
  route?: string;
  /** What the signed request asks for. */
  requestType?: RequestType;
  /** What the log and the integration event say of the answer, where it is more than `OK`. */
  code?: string;
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
export function needed<K extends keyof ApiState>(
  ctx: ApiContext,
  key: K,
): NonNullable<ApiState[K]> {
  const value = ctx.state[key];
  if (value === undefined || value === null) throw new Error(`ctx.state.${key} was not set`);
  return value as NonNullable<ApiState[K]>;
}

/** What the answer is recorded as: `OK`, unless a refusal or a handler said more. */
export const codeOf = ({ state }: ApiContext): string => state.code ?? 'OK';
