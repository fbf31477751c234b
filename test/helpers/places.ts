import { randomInt } from 'node:crypto';

/** Whether everything is gone through, as `.ci/run` has it, which takes minutes; else a part, by chance. */
export const isThorough = process.env.THOROUGH === 'on';

const oneIn = 4;

/**
 * The places in which something is made to go wrong, from the first, 0, on: every one in a thorough run;
 * else one in four, from a random one on, so that many short runs go through all of them. They do not
 * end: whoever asks stops once the last place is passed and nothing goes wrong any more.
 */
export function* places(): Generator<number> {
  const step = isThorough ? 1 : oneIn;
  for (let place = isThorough ? 0 : randomInt(step); ; place += step) yield place;
}
