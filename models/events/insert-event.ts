import { mongo } from 'mongoose';
import { type BatchJob, createBatcher } from '../../platform/batcher.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { refusedWrites } from '../store/insert-once.ts';

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
    await orderEvents.collection.insertOne(alone.event);
    alone.resolve();
    return;
  }
  try {
    const events = jobs.map(({ event }) => event);
    await orderEvents.collection.insertMany(events, { ordered: false });
  } catch (error) {
    const refused = refusedWrites(error);
    if (refused.length === 0) throw error;
    for (const { index, code, errmsg = '' } of refused) {
      jobs[index]?.reject(new mongo.MongoServerError({ message: errmsg, code }));
    }
  }
  for (const job of jobs) job.resolve();
}
