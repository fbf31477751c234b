import { DateTime, Duration } from 'luxon';
import { ruleLimits } from './earning-rules.ts';

/**
 * Parses a claim window.
 * @param text an ISO 8601 duration such as `P30D` or `PT5S`, longer than zero, at most ten years
 * @throws RangeError with the reason
 */
export function parseClaimWindow(text: string): Duration {
  const duration = Duration.fromISO(text);
  if (!duration.isValid) throw new RangeError(`"${text}" is not an ISO 8601 duration`);
  const lengthMs = duration.toMillis();
  // A negative part could end the window before it starts: P1M-29D, counted from 1 February.
  const counts = lengthMs >= 1 && !text.includes('-');
  if (!counts || lengthMs > ruleLimits.claimWindowMs) {
    throw new RangeError('a claim window must be longer than zero and at most ten years');
  }
  return duration;
}

/**
 * When a claim window ends. Days and months are counted in UTC.
 * @param startsAt ISO 8601
 * @returns ISO 8601, UTC, with milliseconds
 */
export function claimExpiry(startsAt: string, claimWindow: string): string {
  const start = DateTime.fromISO(startsAt, { zone: 'utc' });
  return start.plus(parseClaimWindow(claimWindow)).toJSDate().toISOString();
}
