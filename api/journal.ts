import type { IntegrationEventDoc } from '../models/schemas/integration-event.ts';
import type { ApiDeps } from './deps.ts';

/**
 * Where integration events go that no order event carries: refusals, replays and reads. They are
 * buffered for a fraction of a second and written together, so that no answer waits for them
 * (domain, Storage).
 */
export interface Journal {
  add(event: IntegrationEventDoc): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

const flushAfterMs = 250;
const maxBatch = 500;
/** With the database away for long, the oldest go; a refusal's trace is worth less than the process. */
const maxBuffered = 20_000;

export function createJournal({ models, log }: Pick<ApiDeps, 'models' | 'log'>): Journal {
  let buffer: IntegrationEventDoc[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    await writing;
  };

  async function writeAll(): Promise<void> {
    while (buffer.length > 0) {
      const batch = buffer.splice(0, maxBatch);
      try {
        await models.integrationEvents.collection.insertMany(batch as never[], { ordered: false });
      } catch (error) {
        if (isOnlyDuplicates(error)) continue;
        buffer = [...batch, ...buffer].slice(-maxBuffered);
        log.warn(
          { waiting: buffer.length },
          'integration events could not be written; trying again',
        );
        timer ??= setTimeout(flush, flushAfterMs * 8);
        return;
      }
    }
  }

  return {
    add(event) {
      buffer.push(event);
      if (buffer.length > maxBuffered) buffer.shift();
      timer ??= setTimeout(flush, flushAfterMs);
    },
    flush,
  };
}

/** A batch that is written again after a lost acknowledgement finds its own documents. */
function isOnlyDuplicates(error: unknown): boolean {
  const { writeErrors } = error as { writeErrors?: { code: number }[] };
  return Array.isArray(writeErrors) && writeErrors.every(({ code }) => code === 11_000);
}
