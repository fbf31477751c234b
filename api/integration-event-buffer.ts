import { mongo } from 'mongoose';
import { addRefusals } from '../models/events/refusal-totals.ts';
import type { IntegrationEventDoc } from '../models/schemas/integration-event.ts';
import { duplicateKey } from '../models/store/insert-once.ts';
import type { ApiDeps } from './deps.ts';

/**
 * Where integration events go that no order event carries: refusals, replays and reads. They are
 * buffered for a fraction of a second and written together, so that no answer waits for them
 * (docs/domain.md, Storage).
 */
export interface IntegrationEventBuffer {
  add(event: IntegrationEventDoc): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

const flushAfterMs = 250;
const maxBatch = 500;
/** What a process loses that is killed, a database may lose that is: a fraction of a second's rows. */
const writeConcern = { w: 1, journal: false };
/**
 * While the database is away for long, rows are dropped, so that memory lasts: the oldest of whichever
 * partner has most of them, so that nobody's flood pushes out what another left.
 */
const maxBuffered = 20_000;

export function createIntegrationEventBuffer(
  { models, log }: Pick<ApiDeps, 'models' | 'log'>,
  bufferSize = maxBuffered,
): IntegrationEventBuffer {
  const { name } = models.integrationEvents.collection;
  const collection = models.connection.collection<IntegrationEventDoc>(name);
  /** By partner, each oldest first, and by what makes two events one row. */
  const waiting = new Map<string, Map<string, IntegrationEventDoc>>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function put(event: IntegrationEventDoc): void {
    const rows = waiting.get(event.partnerId) ?? new Map<string, IntegrationEventDoc>();
    waiting.set(event.partnerId, rows);
    const key = rowOf(event);
    const row = rows.get(key);
    rows.set(key, row ? merged(row, event) : event);
    if (row) return;
    size++;
    if (size > bufferSize) dropOne();
  }

  function dropOne(): void {
    const [longest] = [...waiting.values()].toSorted((a, b) => b.size - a.size);
    const [oldest] = longest?.keys() ?? [];
    if (oldest !== undefined && longest?.delete(oldest)) size--;
  }

  function takeBatch(): IntegrationEventDoc[] {
    const batch: IntegrationEventDoc[] = [];
    for (const [partnerId, rows] of waiting) {
      for (const [key, event] of rows) {
        if (batch.length === maxBatch) return batch;
        rows.delete(key);
        size--;
        batch.push(event);
      }
      waiting.delete(partnerId);
    }
    return batch;
  }

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    await writing;
  };

  async function writeAll(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        await collection.bulkWrite(batch.map(writeOf), { ordered: false, writeConcern });
        await count(batch);
      } catch (error) {
        const again = unwritten(batch, error);
        await count(batch.filter((event) => !again.includes(event)));
        if (again.length === 0) continue;
        for (const event of again) put(event);
        log.warn({ waiting: size }, 'integration events could not be written; retrying');
        timer ??= setTimeout(flush, flushAfterMs * 8);
        return;
      }
    }
  }

  /** What is in the log is in its totals, unless the database is lost in between: they are no account either. */
  const count = (written: readonly IntegrationEventDoc[]) =>
    addRefusals(models, written).catch((error: unknown) =>
      log.warn({ err: error }, 'refused requests were not added to their totals'),
    );

  return {
    add(event) {
      put(event);
      timer ??= setTimeout(flush, flushAfterMs);
    },
    flush,
  };
}

/** Requests that are counted share a row; any other has its own. */
function rowOf({ credentialId, type, code, minute, requestId }: IntegrationEventDoc): string {
  return minute ? `${credentialId}/${type}/${code}/${minute.getTime()}` : requestId;
}

function merged(one: IntegrationEventDoc, other: IntegrationEventDoc): IntegrationEventDoc {
  const newest = other.receivedAt >= one.receivedAt ? other : one;
  return { ...newest, count: one.count + other.count };
}

function writeOf(event: IntegrationEventDoc) {
  if (event.minute === null) return { insertOne: { document: event } };
  const { _id, partnerId, credentialId, type, code, minute, count, ...newest } = event;
  return {
    updateOne: {
      filter: { partnerId, credentialId, type, code, minute },
      update: { $inc: { count }, $set: newest, $setOnInsert: { _id } },
      upsert: true,
    },
  };
}

/**
 * What of a batch is to be written again. A row that was written before its acknowledgement was lost
 * is found as a duplicate and done; one that counts meets a duplicate only where two processes began
 * it at once. A count whose acknowledgement is lost may be added twice: it is no account.
 */
function unwritten(batch: IntegrationEventDoc[], error: unknown): IntegrationEventDoc[] {
  if (!(error instanceof mongo.MongoBulkWriteError)) return batch;
  const errors = [error.writeErrors].flat();
  if (errors.length === 0) return batch.filter(({ minute }) => minute === null);
  return errors.flatMap(({ code, index }) => {
    const event = batch[index];
    return event && (code !== duplicateKey || event.minute !== null) ? [event] : [];
  });
}
