import { openStates } from '../../domain/reward.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

export type OpenState = (typeof openStates)[number];

const fields = {
  partnerId: 1,
  integrationId: 1,
  purchaseEventId: 1,
  workflowId: 1,
  mode: 1,
  externalOrderId: 1,
  state: 1,
  claimExpiresAt: 1,
  review: 1,
  version: 1,
} as const;

/** A reward whose workflow must be running. */
export type OpenReward = Pick<RewardDoc, '_id' | keyof typeof fields>;

/**
 * A page of the rewards in a state whose workflow must be running, ordered by id. Closed rewards cost
 * nothing.
 * @param before only rewards last changed before this
 * @param after the last reward of the previous page, or before the first one
 * @param upTo no reward after this one
 */
export async function findOpenRewards(
  { rewards }: Models,
  state: OpenState,
  { before, after, upTo, limit }: { before: Date; after: string; upTo: string; limit: number },
): Promise<OpenReward[]> {
  return await rewards
    .find({ _id: { $gt: after, $lte: upTo }, state, updatedAt: { $lt: before } })
    .select(fields)
    .sort({ _id: 1 })
    .limit(limit);
}

/** Whether a reward is unchanged since it was found open, and therefore still is. */
export async function isUnchanged(
  { rewards }: Models,
  { _id, partnerId, version }: OpenReward,
): Promise<boolean> {
  return (await rewards.exists({ partnerId, _id, version })) !== null;
}

/** The oldest open reward, if there is any, and whether there are more than so many. */
export async function surveyOpenRewards(
  { rewards }: Models,
  count: number,
): Promise<{ oldest: string | null; isMany: boolean }> {
  const of = async (state: OpenState) => {
    const oldest = await rewards.findOne({ state }, { _id: 1 }).sort({ _id: 1 });
    return { oldest, open: await rewards.countDocuments({ state }, { limit: count + 1 }) };
  };
  const found = await Promise.all(openStates.map(of));
  return {
    oldest: found.flatMap(({ oldest }) => oldest?._id ?? []).toSorted()[0] ?? null,
    isMany: found.reduce((sum, { open }) => sum + open, 0) > count,
  };
}
