import type { TrafficLog } from '../prove-crash/traffic-log.ts';

export interface AvailabilityGap {
  /** The longest time without a successful purchase or refund. */
  longestMs: number;
  succeeded: number;
  unavailable: number;
  /** Requests without a response. */
  silent: number;
}

/** The responses within a time span, in milliseconds since the epoch. */
export function gapIn(
  { responses }: Pick<TrafficLog, 'responses'>,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): AvailabilityGap {
  const within = responses.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const countOf = (status: number) => within.filter((one) => one.status === status).length;
  const successes = within.filter(({ status }) => status === 201).map(({ atMs }) => atMs);
  const times = [fromMs, ...successes.toSorted((one, other) => one - other), toMs];
  return {
    longestMs: Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs))),
    succeeded: countOf(201),
    unavailable: countOf(503),
    silent: countOf(0),
  };
}
