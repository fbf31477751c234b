import { defaultToleranceSeconds, isTimestampFresh } from '../signature.ts';
import { type Finding, findingOf } from './causes.ts';

const hourSeconds = 3_600;
const farthestZoneHours = 14;
/** Seconds of this century; a number with more digits has another unit. */
const plausibleSeconds = { from: 1e9, to: 4.2e9 };
/** Units of clocks, by their number per second. */
const units = [
  [1_000, 'milliseconds'],
  [1_000_000, 'microseconds'],
  [1_000_000_000, 'nanoseconds'],
] as const;

/**
 * What is wrong with a timestamp header, in any format.
 * @param nowSeconds the service's clock when the request arrived
 * @returns null if it is accepted
 */
export function readTimestamp(timestamp: string, nowSeconds: number): Finding | null {
  if (isTimestampFresh({ timestamp, nowSeconds })) return null;
  const number = Number(timestamp);
  if (!/^\d{1,20}$/.test(timestamp)) return findingOf('TIMESTAMP_FORM', formOf(timestamp));
  const unit = units.find(([perSecond]) => isPlausible(number / perSecond));
  if (unit) return findingOf('MILLISECONDS', `it is in ${unit[1]}`);
  const skewSeconds = number - nowSeconds;
  const hours = Math.round(skewSeconds / hourSeconds);
  const isWholeHours = Math.abs(skewSeconds - hours * hourSeconds) <= defaultToleranceSeconds;
  if (hours !== 0 && isWholeHours && Math.abs(hours) <= farthestZoneHours) {
    return findingOf('TIME_ZONE', `${Math.abs(hours)} h ${hours > 0 ? 'ahead' : 'behind'}`);
  }
  return findingOf('CLOCK_SKEW', describeSkew(skewSeconds));
}

function isPlausible(seconds: number): boolean {
  return seconds >= plausibleSeconds.from && seconds < plausibleSeconds.to;
}

function formOf(timestamp: string): string {
  if (/^\d+\.\d*$/.test(timestamp)) return 'it has a fraction';
  if (/^\d{4}-\d\d-\d\d/.test(timestamp) || /GMT|UTC/.test(timestamp)) return 'it is a date';
  return 'it has other characters than digits';
}

function describeSkew(skewSeconds: number): string {
  const seconds = Math.abs(skewSeconds);
  return `${seconds} s ${skewSeconds > 0 ? 'ahead' : 'behind'}`;
}
