import type { Client } from '@temporalio/client';
import type { Usage } from '../models/billing/index.ts';
import type { Ledger } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { SendMail } from '../platform/mailer.ts';
import type { Messenger } from '../platform/messenger.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { PortalMiddleware } from './context.ts';

/** What the portal needs; built once by the entry point, or by a test. */
export interface PortalDeps {
  config: Config;
  models: Models;
  ledger: Ledger;
  usage: Usage;
  messenger: Messenger;
  temporal: Client;
  sealer: Sealer;
  sendMail: SendMail;
  /** Where the test console sends to: the API's own address, such as `http://127.0.0.1:3000`. */
  apiUrl: string;
  log: Logger;
  /** Set where the process serves metrics. */
  measurePages?: PortalMiddleware | undefined;
  now: () => number;
}
