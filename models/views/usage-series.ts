import { daysUntil } from '../../domain/billing-periods.ts';
import type { Usage } from '../billing/index.ts';

/** What the rewards that were funded on a UTC day earned and cost, without those that were given back. */
export interface UsageDay {
  /** `yyyy-mm-dd` */
  day: string;
  points: number;
  cents: number;
}

/**
 * The use of each of the last days, oldest first, today last: one for every day, also before the first
 * use. Of LIVE alone, since TEST is not metered.
 * @param at ISO 8601
 * @param days how many, from 1; each costs a key or two
 */
export async function readUsageSeries(
  usage: Pick<Usage, 'dailyPoints' | 'dailyCents'>,
  partnerId: string,
  at: string,
  days: number,
): Promise<UsageDay[]> {
  const [points, cents] = await Promise.all([
    usage.dailyPoints(partnerId, at, days),
    usage.dailyCents(partnerId, at, days),
  ]);
  // Days before the first use are left out of both, and so the last ones match.
  return daysUntil(at, days).map((day, index) => ({
    day,
    points: points.at(index - days) ?? 0,
    cents: cents.at(index - days) ?? 0,
  }));
}
