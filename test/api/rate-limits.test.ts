import test from 'ava';
import fc from 'fast-check';
import { createRateLimiter, type RateLimiterDeps } from '../../api/middleware/rate-limit.ts';
import {
  blocksInWhatIsLeft,
  type RateLimitBlock,
  type RateLimitRequest,
  windowMs,
} from '../../models/store/rate-limits.ts';

/** Takes blocks out of windows as the database does, on a clock that the test moves. */
function sharedWindow() {
  let nowMs = 0;
  let writes = 0;
  let current = { number: 0, taken: 0, endsAtMs: 0 };
  return {
    elapsedMs: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
    writes: () => writes,
    windowNumber: () => current.number,
    async takeBlock({ limit, wanted }: RateLimitRequest): Promise<RateLimitBlock> {
      writes++;
      if (nowMs >= current.endsAtMs) {
        current = { number: current.number + 1, taken: 0, endsAtMs: nowMs + windowMs };
      }
      const untaken = limit - current.taken;
      const granted = Math.min(untaken, Math.max(Math.ceil(untaken / blocksInWhatIsLeft), wanted));
      current.taken += granted;
      return { granted, untaken: untaken - granted, leftMs: current.endsAtMs - nowMs };
    },
  };
}

const onFailure: RateLimiterDeps['onFailure'] = (error) => {
  throw error;
};
const of = (limit: number) => ({ partnerId: 'prt_1', mode: 'TEST' as const, limit });

test('across processes, in any order, a window never grants more than the limit', async (t) => {
  const step = fc.record({
    process: fc.nat(3),
    requests: fc.integer({ min: 1, max: 30 }),
    thenMs: fc.constantFrom(0, 0, 1, 20_000, windowMs),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 200 }),
      fc.array(step, { maxLength: 40 }),
      async (limit, steps) => {
        const shared = sharedWindow();
        const processes = Array.from({ length: 4 }, () =>
          createRateLimiter({ ...shared, onFailure }),
        );
        const grantedIn = new Map<number, number>();
        for (const { process, requests, thenMs } of steps) {
          const ask = processes[process];
          if (!ask) throw new Error('no such process');
          const results = await Promise.all(Array.from({ length: requests }, () => ask(of(limit))));
          const granted = results.filter(({ isGranted }) => isGranted).length;
          const window = shared.windowNumber();
          grantedIn.set(window, (grantedIn.get(window) ?? 0) + granted);
          shared.pass(thenMs);
        }
        t.true([...grantedIn.values()].every((granted) => granted <= limit));
      },
    ),
  );
});

test('a single process gets exactly its limit, with few writes', async (t) => {
  for (const limit of [0, 1, 10, 600, 100_000]) {
    const shared = sharedWindow();
    const ask = createRateLimiter({ ...shared, onFailure });
    for (let sent = 1; sent <= limit; sent++) {
      const { isGranted, remaining } = await ask(of(limit));
      if (!isGranted || remaining !== limit - sent) t.fail(`${sent} of ${limit}`);
    }
    t.false((await ask(of(limit))).isGranted);
    t.true(shared.writes() <= 20 + 16 * Math.log(limit + 1), `${shared.writes()} writes`);
  }
});

test('once nothing is left, no request reads the database until the next window', async (t) => {
  const shared = sharedWindow();
  const ask = createRateLimiter({ ...shared, onFailure });
  await Promise.all(Array.from({ length: 7 }, () => ask(of(5))));
  const writes = shared.writes();
  for (let again = 0; again < 10; again++) t.false((await ask(of(5))).isGranted);
  t.is(shared.writes(), writes);
  shared.pass(windowMs);
  t.true((await ask(of(5))).isGranted);
});

test('concurrent requests share one block', async (t) => {
  const shared = sharedWindow();
  const ask = createRateLimiter({ ...shared, onFailure });
  const results = await Promise.all(Array.from({ length: 64 }, () => ask(of(100))));
  t.true(results.every(({ isGranted }) => isGranted));
  t.is(shared.writes(), 1);
});

test('a raised limit applies at once', async (t) => {
  const shared = sharedWindow();
  const ask = createRateLimiter({ ...shared, onFailure });
  t.true((await ask(of(1))).isGranted);
  t.false((await ask(of(1))).isGranted);
  t.true((await ask(of(2))).isGranted);
  t.false((await ask(of(2))).isGranted);
});

test('while the shared window cannot be reached, the process counts on its own', async (t) => {
  const failures: unknown[] = [];
  const ask = createRateLimiter({
    takeBlock: () => Promise.reject(new Error('unavailable')),
    elapsedMs: () => 0,
    onFailure: (error) => failures.push(error),
  });
  const results = await Promise.all(Array.from({ length: 5 }, () => ask(of(3))));
  t.is(results.filter(({ isGranted }) => isGranted).length, 3);
  t.is(failures.length, 1);
});
