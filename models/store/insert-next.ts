import { insertOnce } from './insert-once.ts';

/** A numbered series of documents, and how to add to it. */
export interface Series<Newest, Next, Existing> {
  /** Reads the newest document. */
  newest(): Promise<Newest>;
  /** Makes the next document; `undefined` to add none. */
  next(newest: Newest): Next;
  /** Inserts it. A unique index on the number must exist. */
  insert(next: NonNullable<Next>): Promise<unknown>;
  /**
   * Called after a lost race: returns the document if this one was inserted before, possibly by the
   * winner, or nothing to read the newest again.
   */
  existing?(): Promise<Existing | null | undefined>;
  maxRaces: number;
  /** The error if every attempt lost its race. */
  allLost(): Error;
}

/**
 * Adds the next document to a numbered series: reads the newest, makes the next and inserts it. Of
 * concurrent inserts with the same number, the unique index lets one through; the others start
 * over.
 * @returns the inserted or existing document; `undefined` if `next` made none
 * @throws the error of `allLost` if every attempt lost its race
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
