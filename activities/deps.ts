import type { KeyObject } from 'node:crypto';
import type { Checkpoints } from '../audit/index.ts';
import type { RepairRun } from '../domain/shop-repair.ts';
import type { SendMessage } from '../messaging/message.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import type { Commit } from '../models/commit.ts';
import type { ConnectionDoc } from '../models/schemas/connections.ts';
import type { Models } from '../models/schemas/index.ts';
import type { AuditLog } from '../platform/audit-log.ts';
import type { Config } from '../platform/config.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Messenger } from '../temporal/messenger.ts';
import type { WorkflowLookup } from '../temporal/workflows.ts';

/** The dependencies of the activities, created once by the worker or by a test. */
export interface ActivityDeps {
  models: Models;
  commit: Commit;
  checkpoints: Checkpoints;
  /** What is written outside the database. */
  auditLog: AuditLog;
  messenger: Messenger;
  workflows: WorkflowLookup;
  sealer: Sealer;
  sendMessage: SendMessage;
  /** Has a short timeout, and fails immediately while the gateway is unavailable. */
  sendMessageAtOnce: SendMessage;
  postWebhook: PostWebhook;
  /** Asks a connection's shop for what no delivery reported; null if there is nothing to ask. */
  repairConnection: (connection: ConnectionDoc, tell: () => void) => Promise<RepairRun | null>;
  /** The public URL of the portal, without a trailing slash. */
  portalUrl: string;
  config: Pick<Config, 'issuer' | 'vat' | 'paymentReferencePrefix'> &
    Partial<Pick<Config, 'approvals'>>;
  /** Keys the hashes of ledgers. */
  hashKey: KeyObject;
  /** Which open rewards are checked, how many a second, and how missing workflows are started. */
  reconciliation: {
    afterMs: number;
    perSecond: number;
    maxInFlight: number;
    maxNotStarted: number;
  };
  contactRetentionDays: number;
  /** Milliseconds since the epoch, by this process's clock. */
  now: () => number;
  /** By the database's clock, not before a time that another clock says it is. */
  databaseTime: (notBefore?: Date) => Promise<Date>;
}
