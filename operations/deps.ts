import type { Client } from '@temporalio/client';
import type { SendMessage } from '../messaging/message.ts';
import type { Ledger } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Messenger } from '../temporal/messenger.ts';
import type { PurchaseSignaller } from '../temporal/purchase-signaller.ts';

/** What operations need; each names the part of it that its `run` uses. */
export interface OperationDeps {
  config: Config;
  models: Models;
  ledger: Ledger;
  messenger: Messenger;
  temporal: Client;
  /** Reaches purchases' workflows behind an answer. */
  signaller: PurchaseSignaller;
  sealer: Sealer;
  sendMessage: SendMessage;
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** What every operation needs for its entry in the audit log. */
export type AuditDeps = Pick<OperationDeps, 'models' | 'now'>;
