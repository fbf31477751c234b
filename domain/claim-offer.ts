import { mailPatienceMs } from './messages.ts';
import type { RewardSnapshot } from './reward.ts';

/**
 * Whether the customer is to be sent the claim link: once per claim window, when the reward can be
 * claimed. If it was funded so long ago that sending would have been given up, the link was sent or
 * cannot be.
 * @param offeredUntil ISO 8601, the end of the claim window for which the link was sent, or is being
 *   sent; null if there is none
 */
export function isClaimLinkDue(
  {
    status,
    fundedAt,
    claimExpiresAt,
  }: Pick<RewardSnapshot, 'status' | 'fundedAt' | 'claimExpiresAt'>,
  offeredUntil: string | null,
  nowMs: number,
): boolean {
  if (status !== 'PENDING' || fundedAt === null || claimExpiresAt === offeredUntil) return false;
  return nowMs < Date.parse(claimExpiresAt) && nowMs - Date.parse(fundedAt) <= mailPatienceMs;
}
