import type { RewardSnapshot } from './reward.ts';

const dayMs = 86_400_000;
/** A window that is shorter is not long enough to be forgotten. */
const shortestWindowMs = 7 * dayMs;
/** How long before the end of the window. */
const leadMs = 3 * dayMs;

/**
 * When a customer who has not claimed a reward is reminded: three days before the end, of a window of a
 * week or more, once. Nobody is reminded of TEST.
 * @returns milliseconds since the epoch; null where nobody is reminded
 */
export function reminderAtMs({
  mode,
  status,
  fundedAt,
  claimExpiresAt,
}: Pick<RewardSnapshot, 'mode' | 'status' | 'fundedAt' | 'claimExpiresAt'>): number | null {
  if (mode !== 'LIVE' || status !== 'PENDING' || fundedAt === null) return null;
  const endMs = Date.parse(claimExpiresAt);
  return endMs - Date.parse(fundedAt) < shortestWindowMs ? null : endMs - leadMs;
}
