import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { answerParent } from './child.ts';
import { type Answers, answersOf } from './figures.ts';
import { sendOne, type Work } from './generator.ts';

/** Purchases that arrive when they arrive, however long the ones before them take. */
export interface DayJob {
  arriving: Work;
  perSecond: number;
  count: number;
}

export interface DayAnswers {
  arrived: Answers;
  /** Of purchases; none at the floor. */
  refunds: Answers;
}

/** Every fourth purchase is refunded, some seconds after its response. */
const refundEvery = 4;
const refundAfterMs = 5_000;

if (import.meta.main) answerParent<DayJob, DayAnswers>(day);

async function day({ arriving, perSecond, count }: DayJob): Promise<DayAnswers> {
  const agent = new Agent({ keepAlive: true });
  const purchases = stopwatch();
  const refunds = stopwatch();
  const startMs = performance.now();
  const sent: Promise<void>[] = [];
  let atMs = 0;
  for (let nth = 0; nth < count; nth++) {
    // Poisson arrivals: the times between them are exponentially distributed.
    atMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond;
    await delay(Math.max(0, startMs + atMs - performance.now()));
    sent.push(arrive(nth));
  }
  await Promise.all(sent);
  agent.destroy();
  const elapsedMs = performance.now() - startMs;
  return { arrived: purchases.answers(elapsedMs), refunds: refunds.answers(elapsedMs) };

  async function arrive(nth: number): Promise<void> {
    await purchases.time(() => sendOne(agent, arriving, nth));
    if (arriving.kind !== 'purchases' || nth % refundEvery !== 0) return;
    const { access, orders } = arriving;
    await delay(refundAfterMs);
    await refunds.time(() => sendOne(agent, { kind: 'refunds', access, orders }, nth));
  }
}

function stopwatch() {
  const timesMs: number[] = [];
  const errors: Record<string, number> = {};
  return {
    /** @param send resolves to a status */
    async time(send: () => Promise<number>): Promise<void> {
      const startMs = performance.now();
      const status = await send();
      timesMs.push(performance.now() - startMs);
      if (status < 200 || status > 299) errors[status] = (errors[status] ?? 0) + 1;
    },
    answers: (elapsedMs: number): Answers => answersOf(timesMs, errors, elapsedMs),
  };
}
