import type { Next, ParameterizedContext } from 'koa';

/** What the shared middlewares hand on, whichever face of the service answers. */
export interface HttpState {
  requestId: string;
  /** Where the request came from: an IPv4 or IPv6 address. */
  address: string;
  /** The route's pattern, never the path itself: a path may hold a claim token. */
  route?: string;
  /** What the log says of the answer, where it is more than `OK`. */
  code?: string;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = (ctx: HttpContext, next: Next) => Promise<void>;

/** What the answer is recorded as: `OK`, unless a refusal or a handler said more. */
export const codeOf = ({ state }: Pick<HttpContext, 'state'>): string => state.code ?? 'OK';
