import type { Sealer } from '../../platform/sealing.ts';
import type { Usage } from '../billing/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Models } from '../schemas/index.ts';

/** Dependencies of views. */
export interface ViewDeps {
  models: Models;
  ledger: Ledger;
  usage: Usage;
  sealer: Sealer;
  now: () => number;
}

/** For views that only read collections. */
export type ModelDeps = Pick<ViewDeps, 'models'>;
/** For views that also read balances. */
export type LedgerDeps = Pick<ViewDeps, 'models' | 'ledger'>;
/** For views that also depend on the time. */
export type TimedDeps = Pick<ViewDeps, 'models' | 'now'>;
