import type { Language } from '../../domain/languages.ts';
import type { Cancellation } from '../../domain/reward.ts';
import { canMove } from '../../domain/reward-states.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { type MoveReward, moveUntilDecided } from './move.ts';

const isOver = ({ claimExpiresAt }: RewardDoc, at: Date) => claimExpiresAt <= at;

/**
 * The customer claims, where the money is there and the window is open.
 * @param how how it is written, and in which language the customer asked for it
 * @returns the reward as it stands; its customerStatus says whether it is claimed
 */
export async function claimReward(
  models: Models,
  reward: RewardDoc,
  at: Date,
  { move, language }: { move?: MoveReward; language?: Language | undefined } = {},
): Promise<RewardDoc> {
  const also = language === undefined ? {} : { claimLanguage: language };
  const decide = (read: RewardDoc) =>
    canMove(read, 'CLAIM') && !isOver(read, at) ? { move: 'CLAIM' as const, at, also } : undefined;
  return await moveUntilDecided(models, reward, decide, move);
}

/**
 * The claim window is over. A reward that was funded meanwhile has a later one, and stays.
 * @param isEndedEarly by the TEST clock, which is the caller's to allow
 */
export async function expireReward(
  models: Models,
  reward: RewardDoc,
  at: Date,
  { isEndedEarly = false } = {},
): Promise<RewardDoc> {
  return await moveUntilDecided(models, reward, (read) =>
    canMove(read, 'EXPIRE') && (isEndedEarly || isOver(read, at))
      ? { move: 'EXPIRE', at }
      : undefined,
  );
}

/** An operator cancels a reward that nobody has claimed. */
export async function cancelUnclaimed(
  models: Models,
  reward: RewardDoc,
  cancellation: Cancellation,
): Promise<RewardDoc> {
  const at = new Date(cancellation.cancelledAt);
  return await moveUntilDecided(models, reward, (read) =>
    canMove(read, 'CANCEL') ? { move: 'CANCEL', at, also: { cancellation } } : undefined,
  );
}

/**
 * A waiting reward has its money: its claim window starts anew, since nobody could claim it before. One
 * that ended meanwhile stays as it is.
 */
export async function fundWaitingReward(
  models: Models,
  reward: RewardDoc,
  { at, claimExpiresAt }: { at: Date; claimExpiresAt: Date },
): Promise<RewardDoc> {
  return await moveUntilDecided(models, reward, (read) =>
    read.status === 'AWAITING_FUNDING' ? { move: 'FUND', at, also: { claimExpiresAt } } : undefined,
  );
}
