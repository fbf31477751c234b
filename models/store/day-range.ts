import { dayMs, dayStartMs } from '../../domain/utc-days.ts';

/** A range of UTC days, `yyyy-mm-dd`, both inclusive; open on the side without one. */
export interface DayRange {
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/**
 * Conditions for documents created on certain days. Ids sort by time, so that days are a range of
 * them, in whichever index a list is read from.
 * @param boundOf a bound that sorts after all ids made before a given time, and before all others
 * @throws RangeError for a day that does not exist
 */
export function createdOn(
  { fromDay, toDay }: DayRange,
  boundOf: (atMs: number) => string,
): Record<string, unknown>[] {
  return [
    ...(fromDay === undefined ? [] : [{ _id: { $gt: boundOf(dayStartMs(fromDay)) } }]),
    ...(toDay === undefined ? [] : [{ _id: { $lt: boundOf(dayStartMs(toDay) + dayMs) } }]),
  ];
}
