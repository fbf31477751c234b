import type { Client } from '@temporalio/client';
import type { Models } from '../models/index.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sealer } from '../platform/sealing.ts';

/** What the API needs; built once by the entry point, or by a test. */
export interface ApiDeps {
  config: Config;
  models: Models;
  temporal: Client;
  sealer: Sealer;
  log: Logger;
  now: () => number;
}
