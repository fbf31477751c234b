import type { Client } from '@temporalio/client';
import type { Middleware } from 'koa';
import type { Usage } from '../models/billing/index.ts';
import type { Ledger } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { SendMail } from '../platform/mailer.ts';
import type { Messenger } from '../platform/messenger.ts';
import type { PurchaseStarter } from '../platform/purchase-starter.ts';
import type { Sealer } from '../platform/sealing.ts';

/** What the API needs; built once by the entry point, or by a test. */
export interface ApiDeps {
  config: Config;
  models: Models;
  ledger: Ledger;
  usage: Usage;
  messenger: Messenger;
  starter: PurchaseStarter;
  temporal: Client;
  sealer: Sealer;
  sendMail: SendMail;
  log: Logger;
  now: () => number;
  /** Counts and times the requests of both listeners; without it, they are not counted. */
  measureRequests?: Middleware | undefined;
}

/** What the three GETs need. Each is a handful of indexed reads, however many events there are. */
export type AccountDeps = Pick<ApiDeps, 'models' | 'ledger' | 'usage' | 'now'>;
