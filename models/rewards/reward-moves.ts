import type { Language } from '../../domain/languages.ts';
import { type Cancellation, canMove } from '../../domain/reward.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { type MoveReward, moveUntilDecided } from './move.ts';

const isOver = ({ claimExpiresAt }: RewardDoc, at: Date) => claimExpiresAt <= at;

/**
 * Claims a reward, if it is funded and the claim window is open.
 * @param options how the move is written, and the language in which the customer claimed
 * @returns the reward as stored; its customerStatus says whether it is claimed
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
 * Expires a reward whose claim window is over. A reward that was funded in the meantime has a later
 * window, and stays as it is.
 * @param isEndedEarly by the TEST clock; the caller decides whether that is allowed
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

/** Cancels an unclaimed reward. */
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
 * Marks a waiting reward as funded, with a new claim window, because it could not be claimed before. A
 * reward that ended in the meantime stays as it is.
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
