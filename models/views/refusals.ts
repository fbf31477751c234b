import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The code of refused requests, and their number. */
export interface Refusals {
  code: string;
  count: number;
}

/** UTC days, `yyyy-mm-dd`, inclusive. */
interface Days {
  from: string;
  to: string;
}

/**
 * The numbers of refused requests on some days, by code, most frequent first. They are running totals,
 * one document per day, and lag less than a second behind, as the log does.
 */
export async function readRefusals(
  { refusalTotals }: Pick<Models, 'refusalTotals'>,
  { partnerId, mode }: { partnerId: PartnerScope; mode: Mode },
  { from, to }: Days,
): Promise<Refusals[]> {
  const days = await refusalTotals.find(
    { partnerId, mode, day: { $gte: from, $lte: to } },
    { codes: 1 },
  );
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
