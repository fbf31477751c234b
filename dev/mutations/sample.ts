/** At most this many items in a pseudo-random order, the same for the same seed. */
export function sampleOf<T>(all: readonly T[], most: number, seed: number): T[] {
  const next = randomFrom(seed);
  const order = all.map((one) => ({ one, key: next() })).sort((a, b) => a.key - b.key);
  return order.slice(0, most).map(({ one }) => one);
}

/** Mulberry32: pseudo-random numbers from 0 up to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
