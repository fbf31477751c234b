/**
 * Runs pieces of work, at most a given number at a time; the others wait, and run in the order of their calls.
 * @param most how many may run at a time
 */
export function createConcurrencyLimit(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    /** How many wait. */
    waiting: (): number => waiting.length,

    /** @throws what the work throws */
    async run<T>(work: () => Promise<T>): Promise<T> {
      // Resolved by work that finishes and hands over its place.
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
