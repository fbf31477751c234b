export type Outcome = 'passed' | 'failed' | 'did not end';

/** The result of running a test file. */
interface Runs {
  withChange(limitMs: number): Promise<Outcome>;
  /** How long the file takes now without the change, in milliseconds. */
  timeWithout(): Promise<number>;
}

/** A test file is stuck once it takes this many times as long as without the change. */
const patience = 3;
const leastMs = 60_000;

/**
 * Judges a change by a test file, regardless of the load on the machine. A failure counts only if it happens
 * twice in a row, and a timeout only if the file without the change, measured right afterwards, takes less
 * than a third of that time; otherwise it gets more time.
 * @param usualMs how long the file took before, without any change
 */
export async function outcomeOf(
  { withChange, timeWithout }: Runs,
  usualMs: number,
): Promise<Outcome> {
  let limitMs = Math.max(leastMs, patience * usualMs);
  for (let failures = 0; ; ) {
    const outcome = await withChange(limitMs);
    if (outcome === 'passed') return outcome;
    if (outcome === 'failed') {
      failures += 1;
      if (failures === 2) return outcome;
      continue;
    }
    const enoughMs = patience * (await timeWithout());
    if (enoughMs <= limitMs) return outcome;
    limitMs = enoughMs;
  }
}
