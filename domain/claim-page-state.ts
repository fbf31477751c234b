import { assertNever } from './assert-never.ts';
import type { CustomerStatus, RewardStatus } from './reward-states.ts';

/** The state of a reward as the customer with its link sees it. */
export type ClaimPageState =
  | 'OPEN'
  | 'BEING_PREPARED'
  | 'AWAITING_FUNDING'
  | 'SUSPENDED'
  | 'CLAIMED'
  | 'IN_REVIEW'
  | 'EXPIRED'
  | 'CANCELLED';

interface ClaimFacts {
  status: RewardStatus;
  customerStatus: CustomerStatus;
  funded: boolean;
  claimExpiresAt: Date;
}

/**
 * What a reward's state means to its customer (docs/domain.md, Reward states). The window ends on
 * time, even before the workflow has expired the reward.
 * @param isSuspended whether the partner is suspended; what was claimed before stays claimed
 */
export function claimPageStateOf(
  { status, customerStatus, funded, claimExpiresAt }: ClaimFacts,
  { isSuspended, nowMs }: { isSuspended: boolean; nowMs: number },
): ClaimPageState {
  switch (customerStatus) {
    case 'CLAIMED':
      return status === 'ADMIN_REVIEW' ? 'IN_REVIEW' : 'CLAIMED';
    case 'CLAIM_EXPIRED':
      return 'EXPIRED';
    case 'CANCELLED':
      return 'CANCELLED';
    case 'AWAITING_CUSTOMER_CLAIM':
      if (claimExpiresAt.getTime() <= nowMs) return 'EXPIRED';
      if (isSuspended) return 'SUSPENDED';
      if (status === 'AWAITING_FUNDING') return 'AWAITING_FUNDING';
      return funded ? 'OPEN' : 'BEING_PREPARED';
    default:
      return assertNever(customerStatus, 'customer status');
  }
}
