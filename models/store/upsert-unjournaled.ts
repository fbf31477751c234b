import type { Document, mongo } from 'mongoose';
import type { ModelOf, Models } from '../schemas/index.ts';
import { isDuplicateKey } from './insert-once.ts';

const patienceMs = 1_000;

/**
 * Updates or inserts a document in one write that needs neither journal nor majority: for what a
 * crash of the database may lose.
 * @param stages of an update pipeline, which may use the database's clock (`$$NOW`)
 * @returns the document afterwards
 * @throws Error if the database is unavailable or takes longer than a second
 */
export async function upsertUnjournaled<Doc extends object>(
  { connection }: Models,
  { collection: { name } }: ModelOf<Doc>,
  filter: Partial<Doc>,
  stages: object[],
): Promise<Doc> {
  const collection = connection.collection<Doc & mongo.Document>(name);
  const upsert = () =>
    collection.findOneAndUpdate(
      filter as mongo.Filter<Doc & mongo.Document>,
      stages as Document[],
      {
        upsert: true,
        returnDocument: 'after',
        writeConcern: { w: 1, journal: false },
        timeoutMS: patienceMs,
      },
    );
  // Of two concurrent inserts, one fails and finds the document on its second attempt.
  const changed = await upsert().catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    return upsert();
  });
  if (!changed) throw new Error('the upsert returned no document');
  return changed as unknown as Doc;
}
