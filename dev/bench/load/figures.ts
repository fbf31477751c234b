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

/** The responses within a window. Times are in milliseconds. */
export interface Answers {
  /** Successful responses. */
  answered: number;
  /** All others by status; 0 for no response. */
  errors: Record<string, number>;
  p50: number;
  p95: number;
  max: number;
  /** From the first request to the last response. */
  elapsedMs: number;
}

/** Merges windows of one measurement; p50 and p95 are the medians of the windows'. */
export function mergeWindows(windows: readonly Answers[]): Answers {
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const errors: Record<string, number> = {};
  for (const [status, count] of windows.flatMap((one) => Object.entries(one.errors))) {
    errors[status] = (errors[status] ?? 0) + count;
  }
  return {
    answered: sum(windows.map(({ answered }) => answered)),
    errors,
    p50: percentile(
      windows.map(({ p50 }) => p50),
      0.5,
    ),
    p95: percentile(
      windows.map(({ p95 }) => p95),
      0.5,
    ),
    max: Math.max(...windows.map(({ max }) => max)),
    elapsedMs: sum(windows.map(({ elapsedMs }) => elapsedMs)),
  };
}

export function perSecond({ answered, elapsedMs }: Answers): number {
  return (answered * 1_000) / elapsedMs;
}

export function errorCount({ errors }: Answers): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

/** Rounds to three significant digits, as measurements are no more precise; counts stay whole. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100 || Number.isInteger(value)) {
    return Math.round(value).toLocaleString('en');
  }
  return value.toPrecision(value < 1 ? 2 : 3);
}

/** A window in one line, for the log. */
export function describeAnswers(answers: Answers): string {
  const { p50, p95, errors } = answers;
  const statuses = Object.entries(errors).map(([status, count]) => `${count} × ${status}`);
  const all = [`${figure(perSecond(answers))}/s`, `p50 ${figure(p50)} ms`, `p95 ${figure(p95)} ms`];
  return [...all, ...statuses].join(', ');
}

/** A Markdown table with the first column left-aligned and the others right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? '';
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
