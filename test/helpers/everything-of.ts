import type { Models } from '../../models/schemas/index.ts';
import { readCollections } from './read-collections.ts';

/**
 * All documents with a partner's id.
 * @param except names of models that something else changes meanwhile
 */
export async function everythingOf(
  { connection, rewards }: Models,
  partnerId: string,
  except: readonly string[] = [],
): Promise<object[]> {
  const read = Object.values(connection.models).filter(
    ({ modelName }) => !except.includes(modelName),
  );
  const documents = readCollections(
    read.map(({ collection }) => collection.name),
    () => [{ $match: { partnerId } }],
  );
  const sort = { $sort: { isIn: 1, _id: 1 } };
  return await rewards.collection.aggregate([...documents, sort]).toArray();
}
