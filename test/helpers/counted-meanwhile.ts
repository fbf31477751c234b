import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { eventually } from './eventually.ts';

// The worker adds rewards to totals some time after they were made or moved (docs/decisions/036). Who compares
// what is stored before and after something else leaves that out, since it may happen in between.

/** The collections that nothing but the counting writes to. */
const countingOnly = ['RewardTotals', 'RewardTally'];

/** A reward as it is stored, without what the counting notes in it. */
export function withoutCounting({
  counted: _counted,
  toCount: _toCount,
  ...reward
}: RewardDoc): Omit<RewardDoc, 'counted' | 'toCount'> {
  return reward;
}

/**
 * Everything that is stored of a partner in the collections that hold its id, without the counting.
 * @param except models that something else changes meanwhile
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

/** Waits until the worker has counted a partner's rewards: from then on no page changes by it. */
export async function allCounted({ rewards }: Models, partnerId: string): Promise<void> {
  const isCounted = async () => (await rewards.exists({ partnerId, toCount: true })) === null;
  await eventually(isCounted, 'its rewards are counted');
}
