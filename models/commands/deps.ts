import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';

/** What a command needs: the operators' API, the seed and the tests all have it. */
export interface CommandDeps {
  models: Models;
  sealer: Sealer;
  /** Milliseconds since the epoch. */
  now: () => number;
}
