import { dayMs, dayStartMs } from '../../domain/utc-days.ts';

/** UTC days, `yyyy-mm-dd`, both included; without one, it is open on that side. */
export interface Days {
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/**
 * Conditions for what was made on some days. Ids sort by time, so that days are a range of them, in
 * whichever index a list is read by.
 * @param boundOf what sorts after every id that was made before an instant, and before every other
 * @throws RangeError for a day that is none
 */
export function madeOn(
  { fromDay, toDay }: Days,
  boundOf: (atMs: number) => string,
): Record<string, unknown>[] {
  return [
    ...(fromDay === undefined ? [] : [{ _id: { $gt: boundOf(dayStartMs(fromDay)) } }]),
    ...(toDay === undefined ? [] : [{ _id: { $lt: boundOf(dayStartMs(toDay) + dayMs) } }]),
  ];
}
