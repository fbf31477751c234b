import type { Client } from '@temporalio/client';
import type { SendMessage } from '../messaging/message.ts';
import type { Commit } from '../models/commit.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Messenger } from '../temporal/messenger.ts';

/** Dependencies of operations. The type of each `run` names those that it uses. */
export interface OperationDeps {
  config: Config;
  models: Models;
  commit: Commit;
  messenger: Messenger;
  temporal: Client;
  sealer: Sealer;
  sendMessage: SendMessage;
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Dependencies for writing an audit entry. */
export type AuditLogDeps = Pick<OperationDeps, 'models' | 'now'>;

/** Dependencies for deciding whether an operation needs approval, and for proposing it. */
export type ApprovalDeps = AuditLogDeps & Pick<OperationDeps, 'config' | 'sealer'>;

/** Dependencies for storing a secret, or reading one. */
export type SecretDeps = Pick<OperationDeps, 'models' | 'sealer' | 'now'>;
