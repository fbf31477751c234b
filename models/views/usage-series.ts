import { daysUntil } from '../../domain/billing-periods.ts';
import type { Usage } from '../billing/index.ts';
import type { PartnerScope } from './partner-scope.ts';

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
 * @param days how many, from 1; each costs a key
 */
export async function readUsageSeries(
  usage: Pick<Usage, 'lastDays'>,
  partnerId: PartnerScope,
  at: string,
  days: number,
): Promise<UsageDay[]> {
  const use = await usage.lastDays(partnerId, at, days);
  // Days before the first use are left out, and so the last ones match.
  return daysUntil(at, days).map((day, index) => ({
    day,
    ...(use.at(index - days) ?? { points: 0, cents: 0 }),
  }));
}
