import type { RequestType } from '../../domain/request.ts';
import type { ApiMiddleware } from '../context.ts';

/** Sets the route's request type, which the log can be filtered by; runs before any refusal. */
export function setRequestType(type: RequestType): ApiMiddleware {
  return async (ctx, next) => {
    ctx.state.requestType = type;
    await next();
  };
}
