import type { RewardSnapshot } from './reward.ts';

const dayMs = 86_400_000;
/** Shorter claim windows get no reminder. */
const shortestWindowMs = 7 * dayMs;
/** How long before the end of the window the reminder is sent. */
const leadMs = 3 * dayMs;

/**
 * When to remind a customer of an unclaimed reward: once, three days before the end of the claim
 * window, if that is a week or longer. There are no reminders in TEST.
 * @returns milliseconds since the epoch; null if there is no reminder
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
