import type { Document, Model, mongo } from 'mongoose';
import type { Models } from '../schemas/index.ts';
import { isDuplicateKey } from './insert-once.ts';

const patienceMs = 1_000;

/**
 * Changes one document, or makes it, in one write that needs no journal and no majority: for what may be
 * forgotten by a crash of the database.
 * @param stages of an update by pipeline, which the database's own clock (`$$NOW`) may decide
 * @returns the document after it
 * @throws Error when the database is away or takes longer than a second
 */
export async function upsertLightly<Doc extends object>(
  { connection }: Models,
  { collection: { name } }: Model<Doc>,
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
  // Two that make it at once: one inserts it, the other finds it.
  const changed = await upsert().catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    return upsert();
  });
  if (!changed) throw new Error('an upsert gave no document');
  return changed as unknown as Doc;
}
