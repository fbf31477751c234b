/**
 * A percentile by nearest rank.
 * @param part from 0 to 1
 * @returns NaN without values
 */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = Math.max(1, Math.ceil(sorted.length * part));
  return sorted[rank - 1] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The responses within a window. Times are in milliseconds. */
export interface Answers {
  /** Successful responses. */
  answered: number;
  /** All others by status; 0 for no response. */
  errors: Record<string, number>;
  p50: number;
  p95: number;
  /** From the first request to the last response. */
  elapsedMs: number;
}

/** @param timesMs of all responses, with those that failed */
export function answersOf(
  timesMs: readonly number[],
  errors: Record<string, number>,
  elapsedMs: number,
): Answers {
  return {
    answered: timesMs.length - errorCount({ errors }),
    errors,
    p50: percentile(timesMs, 0.5),
    p95: percentile(timesMs, 0.95),
    elapsedMs,
  };
}

export const perSecond = ({ answered, elapsedMs }: Answers): number =>
  (answered * 1_000) / elapsedMs;

export const errorCount = ({ errors }: Pick<Answers, 'errors'>): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0);

/** What a part measured, for the terminal and for the JSON file. Numbers are not rounded. */
export interface BenchTable {
  title: string;
  columns: string[];
  rows: (string | number)[][];
}

/** Three significant digits, as measurements are no more precise; counts stay whole. */
export function figure(value: string | number): string {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100 || Number.isInteger(value)) {
    return Math.round(value).toLocaleString('en');
  }
  return value.toPrecision(value < 1 ? 2 : 3);
}
