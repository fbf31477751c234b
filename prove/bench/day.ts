import { startChild } from './child.ts';
import type { DayAnswers, DayJob } from './day-generator.ts';
import { type Answers, type BenchTable, errorCount, median } from './figures.ts';
import { type Bench, openFloors } from './harness.ts';

/** What a busy shop sends. */
const perSecond = 20;
const perRound = 600;

/**
 * An ordinary day of one LIVE partner, with one API and one worker: purchases that arrive at random, a quarter of
 * which are refunded a few seconds later, while the workflows of all are under way. The floor gets the same
 * arrivals.
 */
export async function benchDay(bench: Bench): Promise<BenchTable[]> {
  const { service, openPartner, count, newOrders, rounds, log } = bench;
  const baseUrls = [await service.startApi()];
  await service.startWorker();
  const { keys } = await openPartner('Bench');
  const access = { baseUrls, ...keys.LIVE };
  log('Warming up …');
  await bench.sell({ access, concurrency: 16, count: count(600) });
  const floors = await openFloors(bench, keys.LIVE);
  const generator = startChild<DayJob, DayAnswers>('./day-generator.ts');
  const floor: Answers[] = [];
  const ours: DayAnswers[] = [];
  for (let round = 1; round <= rounds; round++) {
    log(`  round ${round} of ${rounds}`);
    const size = { perSecond, count: count(perRound) };
    floor.push((await generator.ask({ arriving: floors.insert, ...size })).arrived);
    const orders = newOrders();
    ours.push(await generator.ask({ arriving: { kind: 'purchases', access, orders }, ...size }));
    await bench.untilCarriedOut();
  }
  generator.stop();
  floors.stop();
  const row = (what: string, answers: readonly Answers[]) => {
    const times = (of: (one: Answers) => number) =>
      median(answers.map((one, nth) => of(one) / of(floor[nth] as Answers)));
    const errors = answers.reduce((sum, one) => sum + errorCount(one), 0);
    const p50 = median(answers.map((one) => one.p50));
    const p95 = median(answers.map((one) => one.p95));
    return [what, p50, times((one) => one.p50), p95, times((one) => one.p95), errors];
  };
  return [
    {
      title: `An ordinary day: ${perSecond} purchases a second, a quarter refunded; the floor is one read and one insert`,
      columns: ['', 'p50 ms', '× floor', 'p95 ms', '× floor', 'errors'],
      rows: [
        row('floor', floor),
        row(
          'purchases',
          ours.map(({ arrived }) => arrived),
        ),
        row(
          'refunds',
          ours.map(({ refunds }) => refunds),
        ),
      ],
    },
  ];
}
