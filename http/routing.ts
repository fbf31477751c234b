import type Router from '@koa/router';
import { ServiceError } from '../domain/errors.ts';
import type { HttpMiddleware } from './context.ts';

/**
 * Names the route for the log, and refuses a method that a known path does not have (docs/contract.md,
 * Errors).
 */
export function routing(router: Router): HttpMiddleware {
  return async (ctx, next) => {
    const { path: layers, pathAndMethod } = router.match(ctx.path, ctx.method);
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
