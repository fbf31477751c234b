import { mongo } from 'mongoose';
import { type BatchJob, createBatcher } from '../../platform/batcher.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';

/**
 * Inserts an event; resolves once a majority has it in its journal.
 * @throws MongoServerError if a unique index refuses it, with the code that `isDuplicateKey` checks
 */
export type InsertEvent = (event: OrderEventDoc) => Promise<void>;

type InsertJob = BatchJob<{ event: OrderEventDoc }, void>;

/** The most events that one command inserts. */
const maxBatch = 100;

/** Events that are inserted at the same time share one command; each is stored or refused by itself. */
export function createInsertEvent(models: Models): InsertEvent {
  const insert = createBatcher<{ event: OrderEventDoc }, void>({ maxBatch }, (_all, jobs) =>
    insertAll(models, jobs),
  );
  return (event) => insert('all', { event });
}

async function insertAll({ orderEvents }: Models, jobs: readonly InsertJob[]): Promise<void> {
  const [alone] = jobs;
  if (alone && jobs.length === 1) {
    await orderEvents.collection.insertOne(alone.event as never);
    alone.resolve();
    return;
  }
  try {
    const events = jobs.map(({ event }) => event);
    await orderEvents.collection.insertMany(events as never[], { ordered: false });
  } catch (error) {
    const refusals = refusalsIn(error);
    if (refusals.length === 0) throw error;
    for (const { index, code, errmsg = '' } of refusals) {
      jobs[index]?.reject(new mongo.MongoServerError({ message: errmsg, code }));
    }
  }
  for (const job of jobs) job.resolve();
}

/**
 * The documents that were refused, if all others are stored for good. The driver throws the same error if it
 * could not reach the server or a majority did not acknowledge the write: then nothing is known of any.
 */
function refusalsIn(error: unknown): mongo.WriteError[] {
  if (!(error instanceof mongo.MongoBulkWriteError)) return [];
  return error.result.getWriteConcernError() ? [] : [error.writeErrors].flat();
}
