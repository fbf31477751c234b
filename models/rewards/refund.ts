import { reviewIdOf } from '../../platform/ids.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { MadeMove, RewardDoc } from '../schemas/rewards.ts';
import { type MoveReward, moveUntilDecided, type RequestedMove } from './move.ts';

/** The outcome of a refund: the reward, and its move for this refund, which never changes. */
export interface DecidedRefund {
  reward: RewardDoc;
  made: MadeMove;
}

/**
 * Decides a recorded refund: writes the move of the state table, which names the refund's event. If the
 * refund changes nothing, the move records the status at that time, so that the response is always the
 * same. A refund that is decided already stays decided; every process decides it in the same way.
 * @param reward as read
 * @param move how the move is written
 */
export async function decideRefund(
  models: Models,
  { _id: refundEventId, receivedAt: at }: Pick<OrderEventDoc, '_id' | 'receivedAt'>,
  reward: RewardDoc,
  reviewDueMs: number,
  move?: MoveReward,
): Promise<DecidedRefund> {
  const madeBy = ({ moves }: RewardDoc) => moves.find((one) => one.refundEventId === refundEventId);
  const decide = (read: RewardDoc): RequestedMove | undefined => {
    if (madeBy(read)) return undefined;
    const reviewId = reviewIdOf(refundEventId);
    const review = { reviewId, openedAt: at.toISOString(), dueMs: reviewDueMs };
    const opens = read.status === 'AVAILABLE';
    return { move: 'REFUND', at, refundEventId, ...(opens && { reviewId, also: { review } }) };
  };
  const decided = await moveUntilDecided(models, reward, decide, move);
  const made = madeBy(decided);
  if (!made) throw new Error(`${refundEventId} moved nothing`);
  return { reward: decided, made };
}
