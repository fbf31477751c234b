import { ConnectionError, PartnerApiError } from './errors.ts';

const firstBackoffMs = 250;
const longestBackoffMs = 8_000;
/** By default, the client waits at most this long; the error tells the caller of longer waits. */
export const longestRetryAfterMs = 60_000;

// A request that came too slowly, above the rate limit, an error of the service, the service unavailable, or a gateway error:
// each may be gone at the next attempt, which the idempotency key makes safe.
const retriedStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];

/**
 * How long to wait before the next attempt: exponential backoff with a quarter of jitter, on top of what
 * the service asked for. Seven attempts wait for some 15 seconds: a service that restarts is back by then.
 * @param attempt the attempt that failed, from 1
 * @param random a number in [0, 1)
 * @param maxRetryAfterMs the longest `Retry-After` to wait for
 * @returns milliseconds, or null if another attempt would not help
 */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  random: number,
  maxRetryAfterMs = longestRetryAfterMs,
): number | null {
  const jitter = 0.75 + random / 2;
  const backoffMs = jitter * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
  if (error instanceof ConnectionError) return backoffMs;
  if (!(error instanceof PartnerApiError) || !retriedStatuses.includes(error.status)) return null;
  const retryAfterMs = error.retryAfterMs ?? 0;
  return retryAfterMs > maxRetryAfterMs ? null : retryAfterMs + backoffMs;
}

/**
 * Reads a `Retry-After` header, which is a number of seconds or an HTTP date.
 * @returns milliseconds from `nowMs`, or undefined if it is absent or invalid
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
