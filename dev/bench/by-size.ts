import { performance } from 'node:perf_hooks';

const readings = 300;
const warmUps = 30;
const limitMs = 100;

/** The numbers of events to measure with, from the arguments; 100 and 100,000 by default. */
export const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 100_000];

/** By reading: the 95th percentile in milliseconds, for each size. */
const rows = new Map<string, number[]>();

/** Repeats a reading and records the 95th percentile. */
export async function measure(what: string, read: () => Promise<unknown>): Promise<void> {
  for (let warmUp = 0; warmUp < warmUps; warmUp++) await read();
  const timesMs: number[] = [];
  for (let reading = 0; reading < readings; reading++) {
    const startMs = performance.now();
    await read();
    timesMs.push(performance.now() - startMs);
  }
  const p95Ms = timesMs.toSorted((one, other) => one - other)[Math.floor(readings * 0.95)] ?? 0;
  rows.set(what, [...(rows.get(what) ?? []), p95Ms]);
}

/** Prints the results as a table. Fails if any 95th percentile exceeds `limitMs`. */
export function report(): void {
  const heads = sizes.map((size) => `${size.toLocaleString('en')} events`);
  const lines = [...rows].map(([what, times]) => {
    const [firstMs = 0] = times;
    const cells = times.map((ms) => `${ms.toFixed(1)} ms, × ${(ms / firstMs).toFixed(2)}`);
    return `| ${what} | ${cells.join(' | ')} |`;
  });
  process.stdout.write(`| 95th percentile | ${heads.join(' | ')} |\n`);
  process.stdout.write(`| --- |${sizes.map(() => ' ---: |').join('')}\n${lines.join('\n')}\n`);
  const slow = [...rows].filter(([, times]) => times.some((ms) => ms > limitMs));
  if (slow.length === 0) return;
  process.stdout.write(`Exceeds ${limitMs} ms: ${slow.map(([what]) => what).join('; ')}\n`);
  process.exitCode = 1;
}
