import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { settled } from '../store/settled.ts';

/** The event of a decided refund. */
export type DecidedRefundEvent = Pick<OrderEventDoc, '_id' | 'externalRefundId' | 'receivedAt'>;

/**
 * The events of the decided refunds of a partner's rewards, at most a hundred each. Without refunds, nothing is read.
 */
export async function findDecidedRefunds(
  models: Models,
  partnerId: string,
  rewards: readonly Pick<RewardDoc, 'moves'>[],
): Promise<DecidedRefundEvent[]> {
  const ids = rewards.flatMap(({ moves }) =>
    moves.flatMap(({ refundEventId }) => refundEventId ?? []),
  );
  if (ids.length === 0) return [];
  return await models.orderEvents.collection
    .find<DecidedRefundEvent>(
      { partnerId, _id: { $in: ids } },
      { projection: { externalRefundId: 1, receivedAt: 1 }, ...settled },
    )
    .toArray();
}
