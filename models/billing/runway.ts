import { runwayDays, runwayWindowDays } from '../../domain/usage.ts';
import type { Usage } from './usage.ts';

/**
 * How many whole days a partner's LIVE funding lasts at the average spending of the last days.
 * @param fundingCents not reserved
 * @param at ISO 8601
 * @returns null if nothing was spent
 */
export async function readRunway(
  usage: Usage,
  partnerId: string,
  fundingCents: number,
  at: string,
): Promise<number | null> {
  const days = await usage.lastDays(partnerId, at, runwayWindowDays);
  return runwayDays(
    fundingCents,
    days.map(({ cents }) => cents),
  );
}
