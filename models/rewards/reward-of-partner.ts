import type { Mode } from '../../domain/mode.ts';
import { isIdOf } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { rewardOf } from './create.ts';

/** What a partner asks for. */
export interface AskedReward {
  partnerId: string;
  mode: Mode;
  rewardId: string;
}

/** A refund that was decided, as its own event and the reward's move tell of it. */
export type DecidedRefundEvent = Pick<OrderEventDoc, '_id' | 'externalRefundId' | 'receivedAt'>;

/** What a majority of the database's members has: what is answered from it is not undone. */
const readConcern = { level: 'majority' } as const;

/**
 * A reward of the partner in one mode, as it stands. One whose workflow has not begun is made from the event of
 * its purchase, as the workflow will make it; nothing is written here.
 * @returns null for any other, and for what is no reward's id
 */
export async function findRewardOfPartner(
  models: Models,
  { partnerId, mode, rewardId }: AskedReward,
): Promise<RewardDoc | null> {
  if (!isIdOf('reward', rewardId)) return null;
  const reward = await models.rewards.collection.findOne<RewardDoc>(
    { partnerId, _id: rewardId as never },
    { readConcern },
  );
  if (reward) return reward.mode === mode ? reward : null;
  const purchase = await models.orderEvents.collection.findOne<OrderEventDoc>(
    { partnerId, rewardId, type: 'PURCHASE' },
    { readConcern },
  );
  return purchase?.mode === mode ? rewardOf(purchase) : null;
}

/** The events of the refunds that a reward has decided, at most a hundred. A reward without any costs no read. */
export async function findDecidedRefunds(
  models: Models,
  { partnerId, moves }: Pick<RewardDoc, 'partnerId' | 'moves'>,
): Promise<DecidedRefundEvent[]> {
  const ids = moves.flatMap(({ refundEventId }) => refundEventId ?? []);
  if (ids.length === 0) return [];
  return await models.orderEvents.collection
    .find<DecidedRefundEvent>(
      { partnerId, _id: { $in: ids as never[] } },
      { projection: { externalRefundId: 1, receivedAt: 1 }, readConcern },
    )
    .toArray();
}
