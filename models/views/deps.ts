import type { Sealer } from '../../platform/sealing.ts';
import type { Usage } from '../billing/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Models } from '../schemas/index.ts';

/** What views read from; each takes what it needs of it. */
export interface ViewDeps {
  models: Models;
  ledger: Ledger;
  usage: Usage;
  sealer: Sealer;
  now: () => number;
}
