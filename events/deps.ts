import type { Commit } from '../models/commit.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Sealer } from '../platform/sealing.ts';

/** The dependencies of recording events. */
export interface EventsDeps {
  config: Pick<Config, 'customerHashKey' | 'reviewDueMs' | 'portal'>;
  models: Models;
  commit: Commit;
  sealer: Sealer;
}
