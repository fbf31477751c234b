import { mongo } from 'mongoose';
import { addRefusals } from '../models/events/refusal-totals.ts';
import type { LoggedRequest } from '../models/schemas/requests.ts';
import { duplicateKey } from '../models/store/insert-once.ts';
import type { ApiDeps } from './deps.ts';

/**
 * Buffers the rows of the request log, of accepted and refused requests alike. Every 250 ms they are written
 * in a batch, so that no response waits for them (docs/concepts/how-it-works.md, Storage).
 */
export interface RequestLog {
  add(event: LoggedRequest): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

const flushAfterMs = 250;
const maxBatch = 500;
/**
 * A killed process loses 250 ms of rows anyway, so a killed database may lose as many. Those of accepted requests
 * are written later, from the events (`completeRequestLog`).
 */
const writeConcern = { w: 1, journal: false };
/**
 * A full buffer, while the database is unavailable, drops rows to bound its memory: the oldest row of
 * the partner with the most rows, so that one partner's flood does not push out another's rows.
 */
const maxBuffered = 20_000;

export function createRequestLog(
  { models, log }: Pick<ApiDeps, 'models' | 'log'>,
  bufferSize = maxBuffered,
): RequestLog {
  const { name } = models.requestLog.collection;
  const collection = models.connection.collection<LoggedRequest>(name);
  /** By partner, then by the key of the row that an event is counted in; each oldest first. */
  const buffered = new Map<string, Map<string, LoggedRequest>>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function put(event: LoggedRequest): void {
    const rows = buffered.get(event.partnerId) ?? new Map<string, LoggedRequest>();
    buffered.set(event.partnerId, rows);
    const key = rowKeyOf(event);
    const row = rows.get(key);
    rows.set(key, row ? merged(row, event) : event);
    if (row) return;
    size++;
    if (size > bufferSize) dropOne();
  }

  function dropOne(): void {
    const [longest] = [...buffered.values()].toSorted((a, b) => b.size - a.size);
    const [oldest] = longest?.keys() ?? [];
    if (oldest !== undefined && longest?.delete(oldest)) size--;
  }

  function takeBatch(): LoggedRequest[] {
    const batch: LoggedRequest[] = [];
    for (const [partnerId, rows] of buffered) {
      for (const [key, event] of rows) {
        if (batch.length === maxBatch) return batch;
        rows.delete(key);
        size--;
        batch.push(event);
      }
      buffered.delete(partnerId);
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
        const failed = unwritten(batch, error);
        await count(batch.filter((event) => !failed.includes(event)));
        if (failed.length === 0) continue;
        for (const event of failed) put(event);
        log.warn({ waiting: size }, 'the request log could not be written; retrying');
        timer ??= setTimeout(flush, flushAfterMs * 8);
        return;
      }
    }
  }

  /** Adds written rows to the totals. After a crash in between they are too low; no money depends on them. */
  const count = (written: readonly LoggedRequest[]) =>
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

/** Counted requests of one minute share a row; every other request has its own. */
function rowKeyOf({ _id, credentialId, type, code, minute }: LoggedRequest): string {
  return minute ? `${credentialId}/${type}/${code}/${minute.getTime()}` : _id;
}

/** A row of the newest request, at the place and time of the first. */
function merged(one: LoggedRequest, other: LoggedRequest): LoggedRequest {
  const [{ _id, receivedAt }, newest] =
    other.receivedAt >= one.receivedAt ? [one, other] : [other, one];
  return { ...newest, _id, receivedAt, count: one.count + other.count };
}

function writeOf(event: LoggedRequest) {
  if (event.minute === null) return { insertOne: { document: event } };
  const { _id, receivedAt, partnerId, credentialId, type, code, minute, count, ...newest } = event;
  return {
    updateOne: {
      filter: { partnerId, credentialId, type, code, minute },
      update: { $inc: { count }, $set: newest, $setOnInsert: { _id, receivedAt } },
      upsert: true,
    },
  };
}

/**
 * The events of a batch to write again. A duplicate key means that an earlier attempt wrote the row, so
 * it is done; for a counted row it means that another process inserted the row at the same time. A
 * counted row whose acknowledgement was lost may be added twice: it is a statistic, not money.
 */
function unwritten(batch: LoggedRequest[], error: unknown): LoggedRequest[] {
  if (!(error instanceof mongo.MongoBulkWriteError)) return batch;
  const errors = [error.writeErrors].flat();
  if (errors.length === 0) return batch.filter(({ minute }) => minute === null);
  return errors.flatMap(({ code, index }) => {
    const event = batch[index];
    return event && (code !== duplicateKey || event.minute !== null) ? [event] : [];
  });
}
