import type Router from '@koa/router';
import { ServiceError } from '../domain/errors.ts';
import type { HttpMiddleware } from './context.ts';

/**
 * Sets the route for the log, and refuses methods that a known path does not accept (docs/contract.md,
 * Errors).
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
