export const dayMs = 24 * 3_600_000;

/**
 * The start of a UTC day.
 * @param day `yyyy-mm-dd`
 * @returns milliseconds since the epoch
 * @throws RangeError for a day that does not exist
 */
export function dayStartMs(day: string): number {
  const startMs = Date.parse(`${day}T00:00:00.000Z`);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(startMs) || new Date(startMs).toISOString().slice(0, 10) !== day) {
    throw new RangeError(`${JSON.stringify(day)} is not a day of the form yyyy-mm-dd`);
  }
  return startMs;
}
