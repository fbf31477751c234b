/**
 * Calls a function at most once per period, however often its result is needed: meanwhile callers
 * get the last result, or wait for the call in progress. Failures count as results.
 * @param now milliseconds
 */
export function throttle<T>(
  periodMs: number,
  now: () => number,
  ask: () => Promise<T>,
): () => Promise<T> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isUnderWay = false;
  let last: Promise<T>;
  return () => {
    if (!isUnderWay && now() - askedAt >= periodMs) {
      askedAt = now();
      isUnderWay = true;
      last = ask().finally(() => {
        isUnderWay = false;
      });
    }
    return last;
  };
}
