import type { ServiceError } from '../../domain/errors.ts';
import { toServiceError } from '../../http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { PortalContext, PortalMiddleware } from '../context.ts';
import { customerErrorPage } from '../html/customer-error-page.ts';
import { errorPage } from '../html/error-page.ts';
import { isProgram } from '../programs/is-program.ts';
import { asksForJson, isForCustomers } from './customers.ts';

/** Renders any thrown error as a page that says what happened and how to continue. */
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

function answer(ctx: PortalContext, error: ServiceError): void {
  const { code, message } = error;
  ctx.state.code = code;
  ctx.status = error.status;
  ctx.set(error.headers);
  if (isProgram(ctx)) {
    ctx.body = { error: { code, message } };
    return;
  }
  if (isForCustomers(ctx)) {
    if (asksForJson(ctx)) ctx.body = { error: { code, message } };
    else customerErrorPage(ctx, error);
    return;
  }
  // Replaces the whole page, even if htmx requested only a part.
  if (ctx.get('hx-request') === 'true') {
    ctx.set({ 'HX-Retarget': 'body', 'HX-Reswap': 'innerHTML', 'HX-Reselect': 'body > *' });
  }
  ctx.type = 'html';
  ctx.body = errorPage(ctx, error);
}
