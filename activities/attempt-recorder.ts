import type { Models } from '../models/schemas/index.ts';
import type { WebhookDeliveryDoc } from '../models/schemas/webhooks.ts';
import { type AttemptResult, recordAttempts } from '../models/webhooks/deliveries.ts';

interface RecordedAttempt {
  delivery: WebhookDeliveryDoc;
  attempt: AttemptResult;
}

/** An attempt is recorded within this time, even if others are still waiting for their response. */
const recordWithinMs = 50;

/**
 * Records attempts in batches, one write for all that end within 50 ms. Attempts that are not recorded
 * when a worker dies are repeated with the same id.
 */
export function createAttemptRecorder(models: Models) {
  let waiting: RecordedAttempt[] = [];
  let timer: NodeJS.Timeout | undefined;
  const writes: Promise<unknown>[] = [];

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    writes.push(recordAttempts(models, batch).catch((error: unknown) => ({ error })));
  }

  return {
    add(attempt: RecordedAttempt): void {
      waiting.push(attempt);
      timer ??= setTimeout(write, recordWithinMs);
    },

    /** Writes the rest. @throws the error of a write that failed */
    async end(): Promise<void> {
      write();
      for (const outcome of await Promise.all(writes)) {
        if (outcome) throw (outcome as { error: unknown }).error;
      }
    },
  };
}
