import type { Next, ParameterizedContext } from 'koa';
import type { RequestType } from '../domain/purchase.ts';
import type { HttpState } from '../http/context.ts';
import type { Principal } from './principals.ts';

/** State that middleware sets for later middleware and for the handlers. */
export interface ApiState extends HttpState {
  /** The kind of signed request: a purchase, a refund or a read. */
  requestType?: RequestType;
  /** The owner of the API key that the request names, before its signature is verified. */
  keyHolder?: Principal;
  /** The authenticated caller: the owner of the key, once the signature is verified. */
  principal?: Principal;
  rawBody?: Buffer;
  idempotencyKeyHash?: string;
  payloadHash?: string;
  externalOrderId?: string;
  eventId?: string;
  /** Of a delivery that reported several events: the others, each with a row of its own in the request log. */
  furtherEvents?: { type: RequestType; externalOrderId: string | null; eventId: string }[];
  /** A platform's own delivery, whose signature is not ours. */
  isDelivery?: true;
  /** Why it was refused, as the response says. */
  refusal?: string | undefined;
  /** When an event was received, as it is stored with it; absent for other requests. */
  receivedAt?: Date;
}

export type ApiContext = ParameterizedContext<ApiState>;
export type ApiMiddleware = (ctx: ApiContext, next: Next) => Promise<void>;
/** Responds to a request, given its validated body. */
export type BodyHandler<Body> = (ctx: ApiContext, body: Body) => Promise<void>;

/**
 * A field of the state that earlier middleware has set.
 * @throws Error if it is missing, because the middleware is in the wrong order
 */
export function requireState<K extends keyof ApiState>(
  ctx: ApiContext,
  key: K,
): NonNullable<ApiState[K]> {
  const value = ctx.state[key];
  if (value === undefined || value === null) throw new Error(`ctx.state.${key} was not set`);
  return value as NonNullable<ApiState[K]>;
}
