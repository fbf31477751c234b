import { toServiceError } from '../../http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ApiMiddleware } from '../context.ts';

/** Responds to anything thrown with the API's error format (docs/contract.md, Errors). */
export function errors(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.status >= 500) {
        log.error({ err: thrown, requestId: ctx.state.requestId, code: error.code }, error.message);
      }
      ctx.state.code = error.code;
      ctx.state.refusal = error.message;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.body = { error: { code: error.code, message: error.message } };
    }
  };
}
