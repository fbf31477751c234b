import type { Models } from '../models/schemas/index.ts';
import type { Sealer } from '../platform/sealing.ts';

/** Dependencies of views. */
export interface ViewDeps {
  models: Models;
  sealer: Sealer;
  now: () => number;
}

/** For views that only read collections. */
export type ModelDeps = Pick<ViewDeps, 'models'>;
/** For views that also depend on the time. */
export type TimedDeps = Pick<ViewDeps, 'models' | 'now'>;
