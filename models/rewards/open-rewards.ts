import { openStatuses } from '../../domain/reward.ts';
import type { Models } from '../schemas/index.ts';
import { pendingTurns } from '../schemas/pending-turns.ts';
import { awaitingFundingIndex, type RewardDoc } from '../schemas/rewards.ts';

/**
 * The lists of rewards whose workflow must be running: by open status, and those with pending work.
 */
export const openLists = [...openStatuses, 'MARKED'] as const;
export type OpenList = (typeof openLists)[number];

const fields = {
  partnerId: 1,
  purchaseEventId: 1,
  workflowId: 1,
  mode: 1,
  externalOrderId: 1,
  status: 1,
  version: 1,
} as const;

/** A reward whose workflow must be running. */
export type OpenReward = Pick<RewardDoc, '_id' | keyof typeof fields>;

/**
 * A page of the rewards whose workflow must be running, ordered by id. Reads an index of open
 * rewards only: closed ones cost nothing.
 * @param before only rewards last changed before this
 * @param after the last reward of the previous page; empty for the first page
 */
export async function findOpenRewards(
  models: Models,
  list: OpenList,
  { before, after, limit }: { before: Date; after: string; limit: number },
): Promise<OpenReward[]> {
  const page = { _id: { $gt: after } };
  const query =
    list === 'MARKED'
      ? models.rewards
          .find({ ...page, pendingSince: { $lt: before } })
          .hint(pendingTurns.options.name)
      : models.rewards.find({ ...page, status: list, updatedAt: { $lt: before } });
  return await query.select(fields).sort({ _id: 1 }).limit(limit);
}

/** Whether a reward is unchanged since it was found open, and therefore still is. */
export async function isUnchanged(
  models: Models,
  list: OpenList,
  { _id, partnerId, version }: OpenReward,
): Promise<boolean> {
  const isMarked = list === 'MARKED' && { pendingSince: { $exists: true } };
  return (await models.rewards.exists({ partnerId, _id, version, ...isMarked })) !== null;
}

/** The position of a wallet in the order of all wallets. */
export type WalletPlace = Pick<RewardDoc, 'partnerId' | 'walletId'>;

/**
 * The first reward in the queue of the next wallet that has one. Reads one index key, however long
 * the queues are.
 */
export async function findNextQueue(
  models: Models,
  { partnerId, walletId }: WalletPlace,
): Promise<RewardDoc | null> {
  const first = (where: object) =>
    models.rewards
      .findOne({ ...where, status: 'AWAITING_FUNDING' })
      .sort({ partnerId: 1, walletId: 1, _id: 1 })
      .hint(awaitingFundingIndex);
  return (
    (await first({ partnerId, walletId: { $gt: walletId } })) ??
    (await first({ partnerId: { $gt: partnerId } }))
  );
}
