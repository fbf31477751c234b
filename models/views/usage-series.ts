import { daysUntil } from '../../domain/billing-periods.ts';
import { usageOfLastDays } from '../billing/index.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Points and cost of the rewards funded on a UTC day, without those taken back. */
export interface UsageDay {
  /** `yyyy-mm-dd` */
  day: string;
  points: number;
  cents: number;
}

/**
 * LIVE usage by day, oldest first, ending with today. Days without usage are included. TEST is not
 * metered.
 * @param at ISO 8601
 * @param days number of days, at least 1; each costs an index entry
 */
export async function readUsageSeries(
  models: Models,
  partnerId: PartnerScope,
  at: string,
  days: number,
): Promise<UsageDay[]> {
  const use = await usageOfLastDays(models, partnerId, at, days);
  // `usageOfLastDays` leaves out the days before the first usage, so both lists are aligned at their ends.
  return daysUntil(at, days).map((day, index) => ({
    day,
    ...(use.at(index - days) ?? { points: 0, cents: 0 }),
  }));
}
