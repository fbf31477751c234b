import type { Mode } from '../domain/mode.ts';
import { dayMs, dayStartMs } from '../domain/utc-days.ts';
import type { ComparisonJob } from '../models/schemas/jobs.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';
import { readPurchasesOfDays } from './rewards.ts';

/** A UTC day: what was reported for it, and the newest comparison of a list that covers it. */
export interface ReconciledDay {
  /** `yyyy-mm-dd` */
  day: string;
  purchases: number;
  comparison: { jobId: string; differences: number } | null;
}

export const shownDays = 30;

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** A partner's last thirty days in one mode, today first. Reads sums and at most some hundred comparisons. */
export async function readReconciledDays(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  mode: Mode,
  nowMs: number,
): Promise<ReconciledDay[]> {
  const firstMs = dayStartMs(dayOf(nowMs)) - (shownDays - 1) * dayMs;
  const days = Array.from({ length: shownDays }, (_, place) => dayOf(firstMs + place * dayMs));
  const [purchasesOf, jobs] = await Promise.all([
    readPurchasesOfDays({ models }, partnerId, mode, days),
    models.jobs
      .find({ partnerId, mode, kind: 'ORDER_COMPARISON', status: 'DONE' })
      .sort({ _id: -1 })
      .limit(maxComparisons)
      .lean<ComparisonJob[]>(),
  ]);
  return days.toReversed().map((day) => {
    const newest = jobs.find((job) => covers(job, dayStartMs(day)));
    return {
      day,
      purchases: purchasesOf.get(day) ?? 0,
      comparison: newest ? outcomeOf(newest) : null,
    };
  });
}

/** More than a day of each kind of list, for a month. */
const maxComparisons = 200;

function covers({ input: { range, between } }: ComparisonJob, startMs: number): boolean {
  if (between !== null) return between.fromMs < startMs + dayMs && between.toMs >= startMs;
  if (range === null) return false;
  return dayStartMs(range.fromDay) <= startMs && startMs <= dayStartMs(range.toDay);
}

function outcomeOf({ _id: jobId, result }: ComparisonJob) {
  const counts = Object.values(result?.faults ?? {});
  return { jobId, differences: counts.reduce((sum, count) => sum + count, 0) };
}
