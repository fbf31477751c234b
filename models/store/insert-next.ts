import { insertOnce } from './insert-once.ts';

/** How a numbered series of documents gets its next one. */
export interface Series<Newest, Next, Existing> {
  /** Reads what the next one follows. */
  newest(): Promise<Newest>;
  /** Makes the one that follows; `undefined` leaves the series as it is. */
  next(newest: Newest): Next;
  /** Inserts it, under a unique index on its number. */
  insert(next: NonNullable<Next>): Promise<unknown>;
  /**
   * Asked after a lost race, which may have been lost to the same thing done before, and not to
   * another one: what stands in its place, or nothing, and the newest is read again.
   */
  existing?(): Promise<Existing | null | undefined>;
  maxRaces: number;
  /** The error for when every attempt lost its race. */
  allLost(): Error;
}

/**
 * Adds the next document to a numbered series: reads the newest, makes the next, inserts it once.
 * Of several that race for a number the unique index lets one through; the others begin again.
 * @returns the document that was inserted, or the one that stands; `undefined` where `next` gave none
 * @throws what `allLost` gives, when every attempt lost its race
 */
export async function insertNext<Newest, Next extends object | undefined, Existing = never>(
  series: Series<Newest, Next, Existing>,
): Promise<Next | Existing> {
  for (let race = 0; race < series.maxRaces; race++) {
    const next = series.next(await series.newest());
    if (next === undefined) return next;
    if (await insertOnce(() => series.insert(next))) return next;
    const existing = await series.existing?.();
    if (existing) return existing;
  }
  throw series.allLost();
}
