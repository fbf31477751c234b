import { mongo } from 'mongoose';

/** MongoDB's code for a write that a unique index refused. */
export const duplicateKey = 11_000;

/** Whether a write was refused by a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === duplicateKey;
}

/**
 * Runs an insert whose repeat is harmless (domain, Storage, "insert once").
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
