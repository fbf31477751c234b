import type { RewardDoc } from '../../schemas/reward.ts';

/** Since when a reward is marked: it was moved, and what follows is not all done. */
export const notCarriedOutSince = ({ pendingSince }: RewardDoc): Date | undefined => pendingSince;
