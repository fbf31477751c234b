import type Router from '@koa/router';
import { ServiceError } from '../domain/errors.ts';
import type { HttpMiddleware } from './context.ts';

/**
 * Names the route for the log, and refuses a method that a known path does not have (docs/contract.md,
 * Errors).
 */
export function routing(router: Router): HttpMiddleware {
  return async (ctx, next) => {
    const matched = router.match(ctx.path, ctx.method);
    // What every path goes through, such as authentication, is in the list as well, without a method.
    const isRoute = ({ methods }: { methods: string[] }) => methods.length > 0;
    const matching = matched.path.filter(isRoute);
    // A path that is spelled out comes before one with an id in the same place.
    const spelledOut = matching.filter(({ path }) => path === ctx.path);
    const layers = spelledOut.length > 0 ? spelledOut : matching;
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
