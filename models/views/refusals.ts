import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A reason for which requests were refused, and how often. */
export interface Refusals {
  code: string;
  count: number;
}

/** Days, `yyyy-mm-dd` in UTC, both included. */
interface Days {
  from: string;
  to: string;
}

/**
 * How many requests were refused on some days, by code, the most frequent first. Running totals, a key for
 * each day, which are as old as the log: a fraction of a second behind.
 */
export async function readRefusals(
  { refusalTotals }: Pick<Models, 'refusalTotals'>,
  { partnerId, mode }: { partnerId: PartnerScope; mode: Mode },
  { from, to }: Days,
): Promise<Refusals[]> {
  const days = await refusalTotals
    .find({ partnerId, mode, day: { $gte: from, $lte: to } }, { codes: 1 })
    .lean();
  const counts = new Map<string, number>();
  for (const { codes } of days) {
    for (const [code, count] of Object.entries(codes)) {
      counts.set(code, (counts.get(code) ?? 0) + count);
    }
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
