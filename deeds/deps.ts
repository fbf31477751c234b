import type { Client } from '@temporalio/client';
import type { Ledger } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { SendMail } from '../platform/mailer.ts';
import type { Messenger } from '../platform/messenger.ts';
import type { Sealer } from '../platform/sealing.ts';

/** What a deed needs: both faces of the service have it. */
export interface DeedsDeps {
  config: Config;
  models: Models;
  ledger: Ledger;
  messenger: Messenger;
  temporal: Client;
  sealer: Sealer;
  sendMail: SendMail;
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
}
