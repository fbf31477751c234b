import test from 'ava';
import { attemptOffsetsMs, isWanted, nextAttemptAfterMs } from '../../domain/webhooks.ts';

const hourMs = 3_600_000;

test('a webhook is attempted ten times within about 28 hours, with jitter', (t) => {
  for (const random of [0, 0.5, 0.999]) {
    const pauses: number[] = [];
    for (let tries = 1; ; tries++) {
      const pause = nextAttemptAfterMs(tries, null, random);
      if (pause === null) break;
      pauses.push(pause);
    }
    t.is(pauses.length + 1, 10);
    const totalMs = pauses.reduce((sum, pause) => sum + pause, 0);
    t.true(totalMs >= 28 * hourMs && totalMs < 31 * hourMs, `${totalMs}`);
  }
  t.is(nextAttemptAfterMs(1, null, 0), 5_000);
  t.deepEqual(attemptOffsetsMs.slice(2, 5), [300_000, 1_800_000, 2 * hourMs]);
});

test('Retry-After is respected up to a day, and never brings an attempt forward', (t) => {
  t.is(nextAttemptAfterMs(1, 60_000, 0), 60_000);
  t.is(nextAttemptAfterMs(1, 1_000, 0), 5_000);
  t.is(nextAttemptAfterMs(1, 1_000 * hourMs, 0), 24 * hourMs);
  t.is(nextAttemptAfterMs(10, 60_000, 0), null);
});

test('an endpoint receives its selected events, or all, and always test events', (t) => {
  t.true(isWanted(['reward.claimed'], 'reward.claimed'));
  t.false(isWanted(['reward.claimed'], 'reward.funded'));
  t.true(isWanted(['*'], 'reward.funded'));
  t.true(isWanted(['reward.claimed'], 'test.ping'));
});
