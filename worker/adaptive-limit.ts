/** A slower start shows that more is in progress than this machine can handle. */
const slowMs = 2_000;
/** The limit is reduced at most once within this time, however many starts are slow. */
const cutEveryMs = 1_000;
const cut = 0.7;
const fewest = 2;

/**
 * Adapts how much may be in progress at a time: reduced as soon as starts are slow, and raised by
 * one for each that is not. A task that exceeds its timeout is dispatched again, which would make
 * an overloaded machine slower still.
 */
export function createAdaptiveLimit(most: number) {
  const least = Math.min(fewest, most);
  let places = most;
  let cutAtMs = Number.NEGATIVE_INFINITY;

  /** @param waitsMs how long something has been waiting to begin */
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
