import type Router from '@koa/router';
import type { Next, ParameterizedContext } from 'koa';
import { ServiceError } from '../domain/errors.ts';

/** State that the middleware shared by the APIs and the portal sets. */
export interface HttpState {
  requestId: string;
  /** The client's IPv4 or IPv6 address. */
  address: string;
  /** The route's pattern. The path itself is not logged, because it may contain a claim token. */
  route?: string;
  /** The response's code for the log, if it is not `OK`. */
  code?: string;
  /** Set until the response, by `responseTimeout`. */
  responseClock?: ResponseClock | undefined;
}

/** The time that a response may take, which is stopped while a body arrives, and then starts anew. */
export interface ResponseClock {
  timeoutMs: number;
  start(): void;
  stop(): void;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = (ctx: HttpContext, next: Next) => Promise<void>;

/**
 * A parameter of the path, which the route's pattern has.
 * @throws Error if it does not
 */
export function param(
  { params }: { readonly params: Readonly<Record<string, string | undefined>> },
  name: string,
): string {
  const value = params[name];
  if (value === undefined) throw new Error(`the route has no :${name}`);
  return value;
}

/** The code that the response is logged and counted under: `OK` unless a refusal or a handler set one. */
export const codeOf = ({ state }: Pick<HttpContext, 'state'>): string => state.code ?? 'OK';

/**
 * Sets the route for the log, and refuses methods that a known path does not accept (docs/integrate/errors.md).
 * @throws ServiceError METHOD_NOT_ALLOWED
 */
export function routing(router: Router): HttpMiddleware {
  return async (ctx, next) => {
    const matched = router.match(ctx.path, ctx.method);
    // Middleware for every path, such as authentication, is in the list too, without a method.
    const isRoute = ({ methods }: { methods: string[] }) => methods.length > 0;
    const matching = matched.path.filter(isRoute);
    // A literal path takes precedence over one with a parameter in the same place.
    const literal = matching.filter(({ path }) => path === ctx.path);
    const layers = literal.length > 0 ? literal : matching;
    const pathAndMethod = matched.pathAndMethod.filter(isRoute);
    const route = pathAndMethod.at(-1) ?? layers.at(-1);
    if (route) ctx.state.route = String(route.path);
    if (pathAndMethod.length === 0 && layers.length > 0) {
      const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].join(', ');
      throw new ServiceError('METHOD_NOT_ALLOWED', `This path accepts ${allowed}.`, {
        Allow: allowed,
      });
    }
    await next();
  };
}
