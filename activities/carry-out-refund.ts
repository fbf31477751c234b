import type { RewardSnapshot } from '../domain/events.ts';
import { insertMissing } from '../models/insert-once.ts';
import { integrationEventOf } from '../models/integration-events.ts';
import { unmark } from '../models/marked-events.ts';
import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import { reviewIdOf } from '../platform/ids.ts';
import type { ActivityDeps } from './deps.ts';
import type { Settle } from './settle.ts';

export type CarryOutRefund = ReturnType<typeof createCarryOutRefund>;

/**
 * Does what a recorded refund asks for: the reward moves as the state table says, the request gets its
 * integration event, and the refund is marked no longer. Safe to repeat, and made from the stored
 * event alone.
 */
export function createCarryOutRefund(
  { models, reviewDueMs }: Pick<ActivityDeps, 'models' | 'reviewDueMs'>,
  settle: Settle,
) {
  return async (event: OrderEventDoc, reward: RewardSnapshot): Promise<RewardSnapshot> => {
    const openedAt = event.receivedAt.toISOString();
    const review = { reviewId: reviewIdOf(event._id), openedAt, dueMs: reviewDueMs };
    const also = reward.status === 'AVAILABLE' ? { review } : {};
    const [moved] = await Promise.all([
      settle(reward, 'REFUND', openedAt, also),
      insertMissing(models.integrationEvents, [integrationEventOf(event, event.address ?? null)]),
    ]);
    await unmark(models, [event]);
    return moved;
  };
}
