import { type RewardState, type RewardStatus, statusOf } from '../../domain/reward.ts';
import { statusWords } from '../../domain/reward-words.ts';
import { badge, wordsOf } from './components.ts';
import type { Html } from './format.ts';

export const rewardWords = (status: RewardStatus): string => statusWords[status];

/** The words of a status that was stored, with a proposal for example. */
export const rewardWordsOf = (stored: string): string =>
  Object.hasOwn(statusWords, stored) ? statusWords[stored as RewardStatus] : wordsOf(stored);

export const statusBadge = (status: RewardStatus): Html => badge(status, statusWords[status]);

export const rewardBadge = (state: RewardState): Html => statusBadge(statusOf(state));
