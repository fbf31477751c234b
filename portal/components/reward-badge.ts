import { type RewardState, type RewardStatus, statusOf } from '../../domain/reward.ts';
import { badge, wordsOf } from './components.ts';
import type { Html } from './format.ts';

/** The status of a reward as people say it; the API's words stay in the API. */
const words: Readonly<Record<RewardStatus, string>> = {
  PENDING: 'To claim',
  AVAILABLE: 'Claimed',
  AWAITING_FUNDING: 'Waiting for funds',
  ADMIN_REVIEW: 'In review',
  EXPIRED: 'Expired',
  CANCELLED: 'Cancelled',
};

export const rewardWords = (status: RewardStatus): string => words[status];

/** The words of a status that was stored, with a proposal for example. */
export const rewardWordsOf = (stored: string): string =>
  Object.hasOwn(words, stored) ? words[stored as RewardStatus] : wordsOf(stored);

export const statusBadge = (status: RewardStatus): Html => badge(status, words[status]);

export const rewardBadge = (state: RewardState): Html => statusBadge(statusOf(state));
