import { performance } from 'node:perf_hooks';
import { answerParent } from './child.ts';
import { type Answers, percentile } from './figures.ts';
import { openInserts } from './floor-clients.ts';
import { createRequests } from './requests.ts';
import type { Job, Opened, Work } from './work.ts';

/** The load generator's process: signing and sending cost it what they cost a partner, not the service. */
answerParent<Job, Answers>(async ({ work, atOnce, forMs, atMost }) => {
  const { doing, close } = await open(work, atOnce);
  try {
    return await repeat(doing, { atOnce, forMs, atMost });
  } finally {
    await close();
  }
});

async function open(work: Work, atOnce: number): Promise<Opened> {
  if (work.kind === 'inserts') return await openInserts(work);
  return createRequests(work, atOnce);
}

async function repeat(
  doing: Opened['doing'],
  { atOnce, forMs, atMost }: Omit<Job, 'work'>,
): Promise<Answers> {
  const timesMs: number[] = [];
  const refused: Record<string, number> = {};
  let next = 0;
  const startMs = performance.now();
  const loop = async (): Promise<void> => {
    while (next < atMost && performance.now() - startMs < forMs) {
      const sentMs = performance.now();
      const status = await doing(next++);
      timesMs.push(performance.now() - sentMs);
      if (status < 200 || status > 299) refused[status] = (refused[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const refusedCount = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return {
    answered: timesMs.length - refusedCount,
    refused,
    p50: percentile(timesMs, 0.5),
    p95: percentile(timesMs, 0.95),
    max: percentile(timesMs, 1),
    elapsedMs: performance.now() - startMs,
  };
}
