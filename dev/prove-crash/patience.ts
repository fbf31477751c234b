/**
 * Waits for as long as something goes on: a machine that is slow loses nothing.
 * @param patienceMs how long nothing may have gone on
 * @returns whether to wait on, given how much is left
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
