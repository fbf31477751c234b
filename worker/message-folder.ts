import { listCopies, removeCopy, removeEnded } from '../messaging/message-folder.ts';
import type { Models } from '../models/schemas/index.ts';
import { erasedSince, notErased } from '../models/store/sealed-events.ts';
import type { Logger } from '../platform/logger.ts';
import { startPeriodicTask } from './periodic-task.ts';

const everyMs = 10_000;
/** Longer than writing a mail may take after its contact was erased. */
const writingMs = 120_000;
const maxAtOnce = 500;

/**
 * Removes the copies of emails to erased customers: none outlives the contact it was sent to.
 * @returns how many were removed
 */
export async function cleanFolder(models: Models, messageDir: string): Promise<number> {
  const copies = await listCopies(messageDir);
  let removed = 0;
  for (let from = 0; from < copies.length; from += maxAtOnce) {
    const some = copies.slice(from, from + maxAtOnce);
    const kept = await notErased(
      models,
      some.map(({ purchaseEventId }) => purchaseEventId),
    );
    for (const copy of some) {
      if (kept.has(copy.purchaseEventId)) continue;
      await removeCopy(messageDir, copy);
      removed += 1;
    }
  }
  return removed;
}

/**
 * Cleans the message folder of a worker process: at the start, whenever customers were erased since the
 * last time, and when the links in a copy have expired.
 */
export function startFolderCleaner(
  models: Models,
  messageDir: string,
  log: Pick<Logger, 'info' | 'warn'>,
) {
  let lookedAtMs: number | undefined;

  async function clean(): Promise<void> {
    const startMs = Date.now();
    if (lookedAtMs === undefined || (await erasedSince(models, new Date(lookedAtMs - writingMs)))) {
      const removed = await cleanFolder(models, messageDir);
      if (removed > 0) log.info({ removed }, 'deleted copies of emails to erased customers');
    }
    lookedAtMs = startMs;
    await removeEnded(messageDir, startMs);
  }

  const failure = 'the message folder could not be read; retrying';
  return startPeriodicTask(clean, { everyMs, failure, log });
}
