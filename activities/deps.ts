import type { SendMessage } from '../messaging/message.ts';
import type { PostWebhook } from '../messaging/webhooks/post.ts';
import type { Checkpoints } from '../models/audit/index.ts';
import type { Usage } from '../models/billing/index.ts';
import type { Ledger } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Announce } from '../models/webhooks/announce.ts';
import type { BatchTerms } from '../platform/batches.ts';
import type { Config } from '../platform/config.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Messenger } from '../temporal/messenger.ts';
import type { WorkflowLookup } from '../temporal/workflow-lookup.ts';

/** What the activities need; built once by the worker, or by a test. */
export interface ActivityDeps {
  models: Models;
  ledger: Ledger;
  usage: Usage;
  checkpoints: Checkpoints;
  messenger: Messenger;
  workflows: WorkflowLookup;
  sealer: Sealer;
  sendMessage: SendMessage;
  /** Gives up soon, and at once while whoever carries messages does not answer. */
  sendMessageAtOnce: SendMessage;
  /** Puts what happened into the outbox of the endpoints that want to know. */
  announce: Announce;
  postWebhook: PostWebhook;
  /** Where customers reach the portal, without a slash at the end. */
  portalUrl: string;
  config: Pick<Config, 'issuer'>;
  reviewDueMs: number;
  reconciliation: Config['reconciliation'];
  /** How long contacts of customers without open business are kept. */
  contactRetentionDays: number;
  /** How what begins and accounts purchases is done together. */
  batchTerms: BatchTerms;
}
