import { unavailable } from '../domain/errors.ts';
import type { HttpMiddleware } from './context.ts';

/**
 * Responds with 503 after a timeout, whatever hangs. The handler keeps running, and a retry with the same
 * Idempotency-Key gets its result.
 * @throws ServiceError UNAVAILABLE
 */
export function responseTimeout(timeoutMs: number): HttpMiddleware {
  return async (_ctx, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable()), timeoutMs);
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
