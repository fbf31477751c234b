import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { eventually } from './eventually.ts';

// The worker adds rewards to the totals some time after they are created or moved (docs/decisions/036). Tests
// that compare stored data before and after something else must ignore this, since it can happen in between.

/** The collections to which only the counting writes. */
const countingOnly = ['RewardTotals', 'RewardTally'];

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
  { connection }: Models,
  partnerId: string,
  except: readonly string[] = [],
): Promise<Record<string, unknown[]>> {
  const models = Object.values(connection.models).filter(
    ({ schema, modelName }) =>
      schema.path('partnerId') && ![...countingOnly, ...except].includes(modelName),
  );
  const found = models.map(async (model) => {
    const docs = await model.find({ partnerId }).sort({ _id: 1 }).lean();
    return [model.modelName, model.modelName === 'Reward' ? docs.map(withoutCounting) : docs];
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Waits until the worker has counted a partner's rewards, after which counting changes no page. */
export async function allCounted({ rewards }: Models, partnerId: string): Promise<void> {
  const isCounted = async () => (await rewards.exists({ partnerId, toCount: true })) === null;
  await eventually(isCounted, 'its rewards are counted');
}
