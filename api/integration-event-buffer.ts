import type { IntegrationEventDoc } from '../models/schemas/integration-event.ts';
import type { ApiDeps } from './deps.ts';

/**
 * Where integration events go that no order event carries: refusals, replays and reads. They are
 * buffered for a fraction of a second and written together, so that no answer waits for them
 * (domain, Storage).
 */
export interface IntegrationEventBuffer {
  add(event: IntegrationEventDoc): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

const flushAfterMs = 250;
const maxBatch = 500;
/** While the database is away for long the oldest are dropped, so that memory lasts. */
const maxBuffered = 20_000;

export function createIntegrationEventBuffer({
  models,
  log,
}: Pick<ApiDeps, 'models' | 'log'>): IntegrationEventBuffer {
  const { name } = models.integrationEvents.collection;
  const collection = models.connection.collection<IntegrationEventDoc>(name);
  let waiting: IntegrationEventDoc[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    await writing;
  };

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch);
      try {
        await collection.insertMany(batch, { ordered: false });
      } catch (error) {
        if (isOnlyDuplicates(error)) continue;
        waiting = [...batch, ...waiting].slice(-maxBuffered);
        log.warn(
          { waiting: waiting.length },
          'integration events could not be written; trying again',
        );
        timer ??= setTimeout(flush, flushAfterMs * 8);
        return;
      }
    }
  }

  return {
    add(event) {
      waiting.push(event);
      if (waiting.length > maxBuffered) waiting.shift();
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
