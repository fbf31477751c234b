import { LRUCache } from 'lru-cache';
import { ServiceError } from '../domain/errors.ts';
import { callerOf } from '../platform/addresses.ts';
import type { HttpMiddleware } from './context.ts';

export interface WindowOptions {
  /** The uses that are granted per key and window. */
  limit: number;
  windowMs: number;
  /** Beyond this many keys, the least recently used is forgotten, which bounds the memory. */
  tableSize?: number;
  /** A monotonic clock, in milliseconds. */
  elapsedMs?: () => number;
}

/** Whether a use is granted, and when the window ends. */
export interface WindowUse {
  isGranted: boolean;
  resetSeconds: number;
}

const maxKeys = 50_000;

/**
 * Counts uses by key in windows that start with the first use. Each process counts alone: the limit
 * protects the process, and bounds how much can be guessed.
 */
export function createWindows({
  limit,
  windowMs,
  tableSize = maxKeys,
  elapsedMs = () => performance.now(),
}: WindowOptions) {
  let table: LRUCache<string, { count: number; endsAtMs: number }> | undefined;
  /** Created with the first key, because the cache allocates memory for all keys at once. */
  const windowsByKey = () => {
    table ??= new LRUCache({ max: tableSize });
    return table;
  };
  return {
    /** Counts one use of the key. */
    take(key: string): WindowUse {
      const nowMs = elapsedMs();
      const windows = windowsByKey();
      let window = windows.get(key);
      if (!window || nowMs >= window.endsAtMs) {
        window = { count: 0, endsAtMs: nowMs + windowMs };
        windows.set(key, window);
      }
      window.count++;
      const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
      return { isGranted: window.count <= limit, resetSeconds };
    },
    /** Forgets the uses of a key. */
    clear(key: string): void {
      table?.delete(key);
    },
  };
}

export type Windows = ReturnType<typeof createWindows>;

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
