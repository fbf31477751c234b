import { unavailable } from '../domain/errors.ts';
import type { HttpMiddleware } from './context.ts';

/**
 * Answers 503 when there is no other answer in time, whatever it is that hangs. What was begun goes
 * on, and a retry under the same key finds what became of it.
 */
export function answerInTime(timeoutMs: number): HttpMiddleware {
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
