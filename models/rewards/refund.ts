import { reviewIdOf } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import type { MadeMove, RewardDoc } from '../schemas/reward.ts';
import { type AskedMove, type MoveReward, moveUntilDecided } from './move.ts';

/** What a refund came to: the reward as it stands, and what it says of this refund, for good. */
export interface DecidedRefund {
  reward: RewardDoc;
  made: MadeMove;
}

/**
 * Decides a recorded refund: the reward moves as the state table says, by a write that names the
 * refund's event; whoever makes it makes the same. A reward that the refund leaves as it is keeps that
 * it was asked, and how it stood: so that the answer is the same whenever it is asked for. Decided
 * before, it stays decided.
 * @param reward as it was read
 * @param move how it is written
 */
export async function decideRefund(
  models: Models,
  { _id: refundEventId, receivedAt: at }: Pick<OrderEventDoc, '_id' | 'receivedAt'>,
  reward: RewardDoc,
  reviewDueMs: number,
  move?: MoveReward,
): Promise<DecidedRefund> {
  const madeBy = ({ moves }: RewardDoc) => moves.find((one) => one.refundEventId === refundEventId);
  const decide = (read: RewardDoc): AskedMove | undefined => {
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
