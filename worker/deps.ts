import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../activities/deps.ts';
import { createBooks } from '../models/ledger/books.ts';
import { createSettle } from '../models/ledger/settlement.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { SendMail } from '../platform/mailer.ts';
import { createMessenger } from '../platform/messenger.ts';
import { createSealer } from '../platform/sealing.ts';

/** Puts together what the activities need. */
export function createActivityDeps(
  config: Config,
  models: Models,
  temporal: Client,
  sendMail: SendMail,
): ActivityDeps {
  const books = createBooks(models, config.customerHashKey);
  const messenger = createMessenger(temporal, config.temporal.taskQueue);
  return {
    models,
    books,
    settle: createSettle(models, books, messenger.wakeWallet),
    messenger,
    sealer: createSealer(config.masterKeys),
    sendMail,
    publicUrl: config.http.publicUrl,
    reviewDueMs: config.reviewDueMs,
  };
}
