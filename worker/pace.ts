/** What takes longer to begin shows that more is under way than this machine carries. */
const slowMs = 2_000;
/** Once for what is slow at the same time. */
const cutEveryMs = 1_000;
const cut = 0.7;
const fewest = 2;

/**
 * How much may be under way at a time: less as soon as it is slow to begin, and one more for each that
 * is not. A task that outlasts its time is handed out again, which would make a machine that is too slow
 * slower still.
 */
export function createPace(most: number) {
  const least = Math.min(fewest, most);
  let places = most;
  let cutAtMs = Number.NEGATIVE_INFINITY;

  /** @param waitsMs how long something that has not begun has taken already */
  function noteSlow(waitsMs: number, nowMs: number): void {
    if (waitsMs <= slowMs || nowMs - cutAtMs < cutEveryMs) return;
    places = Math.max(least, places * cut);
    cutAtMs = nowMs;
  }

  return {
    places: (): number => Math.floor(places),
    noteSlow,

    /** @param tookMs how long something took to begin */
    note(tookMs: number, nowMs: number): void {
      if (tookMs <= slowMs) places = Math.min(most, places + 1);
      else noteSlow(tookMs, nowMs);
    },
  };
}
