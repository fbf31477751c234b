/**
 * Asks at most once in a while, however often the answer is wanted: who comes meanwhile gets the last
 * answer, or waits for the one that is under way. A failure is an answer like another.
 * @param now milliseconds
 */
export function atMostEvery<T>(
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
