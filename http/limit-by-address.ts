import { ServiceError } from '../domain/errors.ts';
import { callerOf } from '../platform/addresses.ts';
import type { HttpMiddleware } from './context.ts';
import { createWindows, type WindowTerms } from './windows.ts';

const minuteMs = 60_000;

/** At most this many requests a minute from one address, before anything is known about them. */
export function limitByAddress(
  perMinute: number,
  terms: Pick<WindowTerms, 'tableSize' | 'elapsedMs'> = {},
): HttpMiddleware {
  const windows = createWindows({ limit: perMinute, windowMs: minuteMs, ...terms });
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
