import { ServiceError } from '../domain/errors.ts';
import { callerOf } from '../platform/addresses.ts';
import type { HttpMiddleware } from './context.ts';
import { createWindows, type WindowOptions } from './windows.ts';

const minuteMs = 60_000;

/**
 * Limits the requests per minute from one address; runs before authentication.
 * @throws ServiceError RATE_LIMITED
 */
export function limitByAddress(
  perMinute: number,
  options: Pick<WindowOptions, 'tableSize' | 'elapsedMs'> = {},
): HttpMiddleware {
  const windows = createWindows({ limit: perMinute, windowMs: minuteMs, ...options });
  return async (ctx, next) => {
    const { isGranted, resetSeconds } = windows.take(callerOf(ctx.state.address));
    if (!isGranted) throw rateLimited(perMinute, resetSeconds);
    await next();
  };
}

export function rateLimited(perMinute: number, resetSeconds: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `More than ${perMinute} requests in a minute. Retry in ${resetSeconds} s.`,
    { 'Retry-After': String(resetSeconds) },
  );
}
