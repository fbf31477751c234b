import type { ServiceError } from '../../domain/errors.ts';
import { toServiceError } from '../../http/service-errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { PortalMiddleware } from '../context.ts';
import { errorPage } from '../html/error-page.ts';

/** Turns whatever is thrown into a page that says what happened and how to go on. */
export function errors(log: Logger): PortalMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.status >= 500) {
        log.error({ err: thrown, requestId: ctx.state.requestId, code: error.code }, error.message);
      }
      answer(ctx, error);
    }
  };
}

function answer(ctx: Parameters<PortalMiddleware>[0], error: ServiceError): void {
  ctx.state.code = error.code;
  ctx.status = error.status;
  ctx.set(error.headers);
  // A part of a page is no place for it: it takes the whole page.
  if (ctx.get('hx-request') === 'true') {
    ctx.set({ 'HX-Retarget': 'body', 'HX-Reswap': 'innerHTML', 'HX-Reselect': 'body > *' });
  }
  ctx.type = 'html';
  ctx.body = errorPage(ctx, error);
}
