import type { Context, Middleware, Next } from 'koa';
import type { Principal } from './principals.ts';

/** What the middlewares hand on to each other and to the handlers. */
export interface ApiState {
  requestId: string;
  /** The route's pattern, never the path itself: a path may hold a claim token. */
  route?: string;
  /** The code of the answer, for the log and the integration event. */
  code?: string;
  /** Whom the key header names. Nothing is proved yet. */
  claimed?: Principal;
  /** Whose signature held. */
  principal?: Principal;
  rawBody?: Buffer;
  idempotencyKeyHash?: string;
  /** The checked body. */
  body?: unknown;
  externalOrderId?: string;
  eventId?: string;
  /** The accepted event's own integration event is written with the event. */
  recorded?: boolean;
}

export type ApiContext = Context & { state: ApiState };
export type ApiMiddleware = (ctx: ApiContext, next: Next) => Promise<void>;

/** What a middleware further up was to leave behind; its absence is a fault in the order of middlewares. */
export function needed<K extends keyof ApiState>(
  ctx: ApiContext,
  key: K,
): NonNullable<ApiState[K]> {
  const value = ctx.state[key];
  if (value === undefined || value === null) throw new Error(`ctx.state.${key} was not set`);
  return value as NonNullable<ApiState[K]>;
}

/** Koa's own type for the places that ask for it. */
export const asKoa = (middleware: ApiMiddleware): Middleware => middleware as unknown as Middleware;
