import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { eventually } from './eventually.ts';
import { readCollections } from './read-collections.ts';

// The worker adds rewards to the totals some time after they are created or moved (docs/decisions/036). Tests
// that compare stored data before and after something else must ignore this, since it can happen in between.

/** The collections to which only the counting writes. */
const countingOnly = ['RewardTotals', 'RewardTally'];
/** The fields of rewards that it changes. */
const countingFields = ['counted', 'toCount'];

/** A stored reward without the fields that the counting changes. */
export function withoutCounting({
  counted: _counted,
  toCount: _toCount,
  ...reward
}: RewardDoc): Omit<RewardDoc, 'counted' | 'toCount'> {
  return reward;
}

/**
 * All documents with a partner's id, without the data that the counting changes.
 * @param except names of models that something else changes meanwhile
 */
export async function everythingOf(
  { connection, rewards }: Models,
  partnerId: string,
  except: readonly string[] = [],
): Promise<object[]> {
  const read = Object.values(connection.models).filter(
    ({ schema, modelName }) =>
      schema.path('partnerId') && ![...countingOnly, ...except].includes(modelName),
  );
  const stages = [{ $match: { partnerId } }, { $unset: countingFields }];
  const documents = readCollections(
    read.map(({ collection }) => collection.name),
    () => stages,
  );
  const sort = { $sort: { isIn: 1, _id: 1 } };
  return await rewards.collection.aggregate([...documents, sort]).toArray();
}

/** Waits until the worker has counted a partner's rewards, after which counting changes no page. */
export async function allCounted({ rewards }: Models, partnerId: string): Promise<void> {
  const isCounted = async () => (await rewards.exists({ partnerId, toCount: true })) === null;
  await eventually(isCounted, 'its rewards are counted');
}
