import { randomInt } from 'node:crypto';

/** Whether to test every place, as `.ci/run` does in several minutes, or only some of them. */
export const isThorough = process.env.THOROUGH === 'on';

const oneIn = 4;

/**
 * The places for a fault, from 0: all of them in a thorough run; otherwise every fourth from a random start,
 * so that many short runs cover all. The sequence is infinite: the caller stops at the first place after
 * the end of the work, where no fault happens any more.
 * @param isEvery whether every place is needed, however thorough the run is
 */
export function* places(isEvery = isThorough): Generator<number> {
  const step = isEvery ? 1 : oneIn;
  for (let place = randomInt(step); ; place += step) yield place;
}
