import { assertNever } from './assert-never.ts';
import type { CustomerStatus, RewardStatus } from './reward-states.ts';

/** How a reward stands for the customer who holds its link. */
export type ClaimStanding =
  | 'OPEN'
  | 'AWAITING_FUNDING'
  | 'SUSPENDED'
  | 'CLAIMED'
  | 'IN_REVIEW'
  | 'EXPIRED'
  | 'CANCELLED';

interface Claimable {
  status: RewardStatus;
  customerStatus: CustomerStatus;
  claimExpiresAt: Date;
}

/**
 * What a reward's states mean to its customer (domain, Reward states). A window that is over is over,
 * also in the moment before the reward's workflow has noted it.
 * @param isSuspended whether the partner is: what was claimed before stays claimed
 */
export function claimStandingOf(
  { status, customerStatus, claimExpiresAt }: Claimable,
  { isSuspended, nowMs }: { isSuspended: boolean; nowMs: number },
): ClaimStanding {
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
      return status === 'AWAITING_FUNDING' ? 'AWAITING_FUNDING' : 'OPEN';
    default:
      return assertNever(customerStatus, 'customer status');
  }
}
