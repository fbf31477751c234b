import { type ServiceError, unavailable } from '../domain/errors.ts';
import type { HttpContext, HttpMiddleware } from './context.ts';

/**
 * Responds after a timeout, whatever hangs: with 503, or with `state.ifLate`. The handler keeps running, and a
 * retry with the same Idempotency-Key gets its result.
 * @throws ServiceError UNAVAILABLE, or the one of `state.ifLate`
 */
export function responseTimeout(timeoutMs: number): HttpMiddleware {
  return async (ctx, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(lateError(ctx)), timeoutMs);
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

function lateError(ctx: HttpContext): ServiceError {
  const { ifLate } = ctx.state;
  if (ifLate === undefined) return unavailable();
  ctx.set('Connection', 'close');
  return ifLate();
}
