import type { ServiceError } from '../../domain/errors.ts';
import { toServiceError } from '../../http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { unknownField } from '../../platform/validation.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';

/** Responds to anything thrown with the API's error format (docs/integrate/errors.md). */
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
      ctx.state.refusal = problemsOf(error);
      ctx.status = error.status;
      ctx.set(error.headers);
      const message = error.message + keyAdvice(ctx, error);
      ctx.body = { error: { code: error.code, message } };
    }
  };
}

/** What makes a repeat safe, for a request that took it. */
const keyAdvice = (ctx: Pick<ApiContext, 'get'>, { status }: ServiceError): string =>
  (status === 408 || status >= 500) && ctx.get('idempotency-key') !== ''
    ? ' Use the same Idempotency-Key.'
    : '';

/**
 * What is wrong with fields that the reference names, for the log. Names that the caller made up, of fields or in
 * metadata, may be a customer's, and messages of other codes quote ids.
 */
function problemsOf({ fields }: ServiceError): string | undefined {
  const all = Object.entries(fields);
  const known = all.flatMap(([path, message]) =>
    path.startsWith('metadata') || message.endsWith(unknownField) ? [] : [message],
  );
  const unknown = all.length - known.length;
  const rest = unknown === 0 ? [] : ['there are fields that are not known, or wrong metadata'];
  return all.length === 0 ? undefined : [...known, ...rest].join('; ');
}
