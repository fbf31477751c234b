import type { RewardDoc } from '../../schemas/rewards.ts';

/** Since when a reward has moves that are not fully carried out. */
export const notCarriedOutSince = ({ pendingSince }: RewardDoc): Date | undefined => pendingSince;
