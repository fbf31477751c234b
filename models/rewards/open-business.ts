import { openStatuses } from '../../domain/reward-states.ts';
import type { Models } from '../schemas/index.ts';
import { pendingTurns } from '../schemas/pending-turns.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/** The lists of rewards whose workflow has to run: by the status that is open, and those not carried out. */
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

/** A reward whose workflow has to run. */
export type OpenReward = Pick<RewardDoc, '_id' | keyof typeof fields>;

/**
 * A page of the rewards whose workflow has to run, in the order of their ids. A range of an index that
 * holds open ones alone: what is over costs nothing.
 * @param before last changed before this: what is just happening is left alone
 * @param after the last reward of the page before; empty for the first page
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
  return await query.select(fields).sort({ _id: 1 }).limit(limit).lean<OpenReward[]>();
}

/** Whether nothing has happened to a reward since it was found open: then it is open still. */
export async function isUnchanged(
  models: Models,
  list: OpenList,
  { _id, partnerId, version }: OpenReward,
): Promise<boolean> {
  const isMarked = list === 'MARKED' && { pendingSince: { $exists: true } };
  return (await models.rewards.exists({ partnerId, _id, version, ...isMarked })) !== null;
}

/** A wallet among all, in their order. */
export type WalletPlace = Pick<RewardDoc, 'partnerId' | 'walletId'>;

/**
 * The first reward in the queue of the next wallet for which anybody waits: one key of the index of
 * queues, however long they are.
 */
export async function findNextQueue(
  models: Models,
  { partnerId, walletId }: WalletPlace,
): Promise<RewardDoc | null> {
  const first = (where: object) =>
    models.rewards
      .findOne({ ...where, status: 'AWAITING_FUNDING' })
      .sort({ partnerId: 1, walletId: 1, _id: 1 })
      .hint('awaiting_funding')
      .lean();
  return (
    (await first({ partnerId, walletId: { $gt: walletId } })) ??
    (await first({ partnerId: { $gt: partnerId } }))
  );
}
