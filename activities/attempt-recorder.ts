import type { Models } from '../models/schemas/index.ts';
import type { WebhookDeliveryDoc } from '../models/schemas/webhook-delivery.ts';
import { noteTries, type Tried } from '../models/webhooks/deliveries.ts';

interface Attempt {
  delivery: WebhookDeliveryDoc;
  tried: Tried;
}

/** An attempt is noted within this, also while others are waiting for their response. */
const noteMs = 50;

/**
 * Notes attempts together, in a write for all that end within a moment. What was not written when a worker
 * dies is sent again under the same id.
 */
export function collectNotes(models: Models) {
  let waiting: Attempt[] = [];
  let timer: NodeJS.Timeout | undefined;
  const writes: Promise<unknown>[] = [];

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    writes.push(noteTries(models, batch).catch((error: unknown) => ({ error })));
  }

  return {
    add(attempt: Attempt): void {
      waiting.push(attempt);
      timer ??= setTimeout(write, noteMs);
    },

    /** Writes what is left. @throws whatever any of the writes failed with */
    async end(): Promise<void> {
      write();
      for (const outcome of await Promise.all(writes)) {
        if (outcome) throw (outcome as { error: unknown }).error;
      }
    },
  };
}
