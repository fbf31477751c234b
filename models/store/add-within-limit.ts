import type { mongo } from 'mongoose';
import type { AnyCollection } from '../schemas/index.ts';
import { isDuplicateKey } from './insert-once.ts';

interface Sum {
  _id: string;
  expiresAt: Date;
}

/**
 * Adds to a sum, creating it if necessary, unless that would exceed a limit. Concurrent additions
 * never exceed it together.
 * @param field the field of the sum
 * @param options how durable the sum has to be
 * @returns whether it was added
 */
export async function addWithinLimit(
  { collection }: { collection: AnyCollection },
  { _id, expiresAt }: Sum,
  field: string,
  { by, limit }: { by: number; limit: number },
  options: Pick<mongo.UpdateOptions, 'writeConcern'> = {},
): Promise<boolean> {
  if (by > limit) return false;
  const filter = { _id, [field]: { $lte: limit - by } };
  const add = { $inc: { [field]: by } };
  try {
    const started = { ...add, $setOnInsert: { expiresAt } };
    await collection.updateOne(filter, started, { ...options, upsert: true });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // It exists: the limit would be exceeded, or another process created it just now.
    const { matchedCount } = await collection.updateOne(filter, add, options);
    return matchedCount > 0;
  }
}
