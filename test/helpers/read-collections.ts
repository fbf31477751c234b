import type { mongo } from 'mongoose';
import type { ModelOf, Models } from '../../models/schemas/index.ts';

/**
 * An aggregation that reads documents of several collections, in one command. Each gets the name of its
 * collection as `isIn`.
 * @param stagesOf the stages that select and change the documents of a collection
 */
export function readCollections(
  collections: readonly string[],
  stagesOf: (collection: string) => object[],
): object[] {
  return [
    { $match: { _id: null } },
    ...collections.map((coll) => ({
      $unionWith: { coll, pipeline: [...stagesOf(coll), { $set: { isIn: coll } }] },
    })),
  ];
}

/**
 * Reads documents of several collections with one command.
 * @param wanted collections, each with a filter
 * @returns a function that returns the documents of one of them
 */
export async function readTogether(
  models: Models,
  wanted: readonly (readonly [{ collection: { name: string } }, object])[],
): Promise<<Doc extends mongo.Document>(model: ModelOf<Doc>) => Doc[]> {
  const filters = new Map(wanted.map(([{ collection }, filter]) => [collection.name, filter]));
  const all = readCollections([...filters.keys()], (name) => [{ $match: filters.get(name) }]);
  const found = await models.rewards.collection.aggregate(all).toArray();
  return <Doc extends mongo.Document>({ collection }: ModelOf<Doc>) =>
    found.filter(({ isIn }) => isIn === collection.name) as Doc[];
}
