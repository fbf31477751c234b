import type { Next, ParameterizedContext } from 'koa';
import type { ServiceError } from '../domain/errors.ts';

/** State that the middleware shared by the APIs and the portal sets. */
export interface HttpState {
  requestId: string;
  /** The client's IPv4 or IPv6 address. */
  address: string;
  /** The route's pattern. The path itself is not logged, because it may contain a claim token. */
  route?: string;
  /** The response's code for the log, if it is not `OK`. */
  code?: string;
  /** The error of a response that is late; by default the service is unavailable. */
  ifLate?: (() => ServiceError) | undefined;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = (ctx: HttpContext, next: Next) => Promise<void>;

/** The code that the response is logged and counted under: `OK` unless a refusal or a handler set one. */
export const codeOf = ({ state }: Pick<HttpContext, 'state'>): string => state.code ?? 'OK';
