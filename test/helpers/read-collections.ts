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
