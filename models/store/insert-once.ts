import { mongo } from 'mongoose';
import type { ModelOf } from '../schemas/index.ts';

/** MongoDB's code for a write that a unique index refused. */
export const duplicateKey = 11_000;

/** Whether a write was refused by a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === duplicateKey;
}

/**
 * Runs an insert that may be repeated (docs/concepts/how-it-works.md, Storage).
 * @returns whether the document is new
 */
export async function insertOnce(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * Inserts documents, of which some may exist; those that a unique index refuses stay as they are.
 * @returns whether all were new
 */
export async function insertMissing<Doc extends mongo.Document>(
  { collection }: ModelOf<Doc>,
  documents: readonly mongo.OptionalUnlessRequiredId<Doc>[],
): Promise<boolean> {
  if (documents.length === 0) return true;
  try {
    await collection.insertMany(documents, { ordered: false });
    return true;
  } catch (error) {
    if (isOnlyDuplicates(error)) return false;
    throw error;
  }
}

/** Whether an unordered write failed only because unique indexes refused documents. */
export function isOnlyDuplicates(error: unknown): boolean {
  const refused = refusedWrites(error);
  return refused.length > 0 && refused.every(({ code }) => code === duplicateKey);
}

/**
 * The writes of a bulk command that were refused, if all others are acknowledged as the write concern demands.
 * The driver throws the same error if it could not reach the server, or if the write concern failed: then
 * nothing is known of any write, and the result is empty.
 */
export function refusedWrites(error: unknown): mongo.WriteError[] {
  if (!(error instanceof mongo.MongoBulkWriteError)) return [];
  return error.result.getWriteConcernError() ? [] : [error.writeErrors].flat();
}
