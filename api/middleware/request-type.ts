import type { RequestType } from '../../domain/request.ts';
import type { ApiMiddleware } from '../context.ts';

/** Says what a route is asked for, before anything is refused: the log is filtered by it. */
export function setRequestType(type: RequestType): ApiMiddleware {
  return async (ctx, next) => {
    ctx.state.requestType = type;
    await next();
  };
}
