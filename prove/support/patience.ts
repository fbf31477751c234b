/**
 * Waits as long as there is progress, so that a slow machine does not fail the proof.
 * @param patienceMs the longest time without progress
 * @returns whether to continue waiting, given how much is left
 */
export function createPatience(
  patienceMs: number,
  now: () => number = () => performance.now(),
): (left: number) => boolean {
  let least = Number.POSITIVE_INFINITY;
  let sinceMs = now();
  return (left) => {
    if (left < least) {
      least = left;
      sinceMs = now();
    }
    return now() - sinceMs <= patienceMs;
  };
}
