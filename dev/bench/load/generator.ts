import { performance } from 'node:perf_hooks';
import { answerParent } from './child.ts';
import { type Answers, percentile } from './figures.ts';
import { openInserts } from './floor-clients.ts';
import { createRequests } from './requests.ts';
import type { LoadJob, PreparedWork, Work } from './work.ts';

/**
 * The load generator in its own process, so that its signing and sending do not count towards the service.
 */
answerParent<LoadJob, Answers>(async ({ work, concurrency, forMs, atMost }) => {
  const { runOne, close } = await open(work, concurrency);
  try {
    return await repeat(runOne, { concurrency, forMs, atMost });
  } finally {
    await close();
  }
});

async function open(work: Work, concurrency: number): Promise<PreparedWork> {
  if (work.kind === 'inserts') return await openInserts(work);
  return createRequests(work, concurrency);
}

async function repeat(
  runOne: PreparedWork['runOne'],
  { concurrency, forMs, atMost }: Omit<LoadJob, 'work'>,
): Promise<Answers> {
  const timesMs: number[] = [];
  const errors: Record<string, number> = {};
  let next = 0;
  const startMs = performance.now();
  const loop = async (): Promise<void> => {
    while (next < atMost && performance.now() - startMs < forMs) {
      const sentMs = performance.now();
      const status = await runOne(next++);
      timesMs.push(performance.now() - sentMs);
      if (status < 200 || status > 299) errors[status] = (errors[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return {
    answered: timesMs.length - failed,
    errors,
    p50: percentile(timesMs, 0.5),
    p95: percentile(timesMs, 0.95),
    max: percentile(timesMs, 1),
    elapsedMs: performance.now() - startMs,
  };
}
