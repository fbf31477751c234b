import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../activities/deps.ts';
import { createCheckpoints } from '../audit/index.ts';
import { repairConnection } from '../connect/repair.ts';
import type { SendMessage } from '../messaging/message.ts';
import { withShortTimeout } from '../messaging/send-message.ts';
import { createAskShop } from '../messaging/shops/ask.ts';
import { createGet } from '../messaging/shops/get.ts';
import { createPostWebhook } from '../messaging/webhooks/post.ts';
import { type CommitDeps, createCommit, type ProcessCommit } from '../models/commit.ts';
import { ledgerKey } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import { databaseTime } from '../models/store/database-time.ts';
import { createAuditLog } from '../platform/audit-log.ts';
import type { Config } from '../platform/config.ts';
import { createRequestHashes } from '../platform/hashing.ts';
import type { Logger } from '../platform/logger.ts';
import { createSealer } from '../platform/sealing.ts';
import { createMessenger } from '../temporal/messenger.ts';
import { createWorkflowLookup } from '../temporal/workflows.ts';

/**
 * An eighth of a core of Temporal (docs/operate/incidents.md). Four starts at a time keep a server busy, and twenty-five
 * that have not begun a worker; with more, an overloaded machine only gets slower.
 */
const reconciliation = { perSecond: 100, maxInFlight: 4, maxNotStarted: 25 };

/**
 * Creates the dependencies of the activities.
 * @param tell gets what is due since a commit
 */
export function createActivityDeps(
  config: Config,
  models: Models,
  temporal: Client,
  sendMessage: SendMessage,
  log: Logger,
  tell?: CommitDeps['tell'],
): ActivityDeps & { commit: ProcessCommit } {
  const hashKey = ledgerKey(config.customerHashKey);
  const messenger = createMessenger(temporal, config.temporal.taskQueue);
  const auditLog = createAuditLog(config.auditLog, log);
  const commit = createCommit({ models, hashKey, now: Date.now, ...(tell && { tell }) });
  const sealer = createSealer(config.masterKeys);
  const shops = {
    models,
    commit,
    sealer,
    config,
    hashes: createRequestHashes(config.customerHashKey),
    askShop: createAskShop({ get: createGet(config.webhooks) }),
    now: Date.now,
  };
  return {
    models,
    commit,
    hashKey,
    auditLog,
    checkpoints: createCheckpoints(config.customerHashKey, (all) => auditLog('checkpoint', all)),
    messenger,
    workflows: createWorkflowLookup(temporal),
    sealer,
    sendMessage,
    sendMessageAtOnce: withShortTimeout(sendMessage),
    postWebhook: createPostWebhook(config.webhooks),
    repairConnection: (connection, tell) => repairConnection(shops, connection, tell),
    portalUrl: config.portal.url,
    config,
    reconciliation: { ...reconciliation, afterMs: config.reconcileAfterMs },
    contactRetentionDays: config.contactRetentionDays,
    now: Date.now,
    databaseTime: (notBefore) => databaseTime(models, notBefore),
  };
}
