import { performance } from 'node:perf_hooks';
import { isDue } from '../../models/schemas/due.ts';
import { startChild } from './child.ts';
import { type BenchTable, median, perSecond } from './figures.ts';
import type { WorkerQuestion } from './floor-worker.ts';
import type { PartnerAccess } from './generator.ts';
import {
  alternate,
  type Bench,
  openFloors,
  type SaleResult,
  tableBesideFloor,
  waitUntil,
} from './harness.ts';

/** Fewer at low concurrency, so that each takes about as long. */
const counts = { 1: 60, 16: 300, 64: 600 };
/** Purchases of one window, where they are not measured beside their floor. */
const perWindow = 300;
/** Purchases of another partner that start during a backlog. */
const others = 5;

/** What purchases cost until their answer and until their timer, and how partners and processes share. */
export async function benchPurchases(bench: Bench): Promise<BenchTable[]> {
  const { service, openPartner, count, log } = bench;
  const baseUrls = [await service.startApi()];
  await service.startWorker();
  const shop = await openPartner('Bench');
  const access = { baseUrls, ...shop.keys.LIVE };
  log('Warming up …');
  await bench.sell({ access, concurrency: 16, count: count(600) });

  log('Purchases beside their floor …');
  const floors = await openFloors(bench, shop.keys.LIVE);
  const sales: SaleResult[] = [];
  const pairs = await alternate(bench, {
    floor: floors.insert,
    counts,
    prepare: async () => undefined,
    async ours(concurrency, size) {
      const sale = await bench.sell({ access, concurrency, count: size });
      if (concurrency === 64) sales.push(sale);
      return sale.answers;
    },
  });
  log('Purchases while the worker is stopped …');
  await service.stop('worker');
  const alone = await alternate(bench, {
    floor: floors.insert,
    counts,
    prepare: async () => undefined,
    ours: (concurrency, size) =>
      bench.run({ kind: 'purchases', access, orders: bench.newOrders() }, concurrency, size),
  });
  floors.stop();
  await service.startWorker();
  await bench.untilCarriedOut();
  return [
    tableBesideFloor('Purchases; the floor is one read and one insert', pairs),
    tableBesideFloor('Purchases while the worker is stopped', alone),
    cpuTable(sales),
    await besideWorkflows(bench, access),
    await withTwoOfEach(bench, access),
    await pastABacklog(bench, { ...access, ...shop.keys.TEST }),
    await underADailyCap(bench, baseUrls),
  ];
}

function cpuTable(sales: readonly SaleResult[]): BenchTable {
  const kinds = ['API', 'worker', 'MongoDB', 'Temporal'];
  const row = kinds.map((kind) => median(sales.map(({ cpuMs }) => cpuMs[kind] ?? Number.NaN)));
  return {
    title: 'CPU ms per purchase until its timer, 64 at once',
    columns: [...kinds, 'API and worker'],
    rows: [[...row, median(sales.map(({ cpuMs }) => (cpuMs.API ?? 0) + (cpuMs.worker ?? 0)))]],
  };
}

/** Purchases behind their answers beside the least that such a workflow costs. */
async function besideWorkflows(bench: Bench, access: PartnerAccess): Promise<BenchTable> {
  const { service, rounds, count, log } = bench;
  log('Workflows …');
  const worker = startChild<WorkerQuestion, number>('./floor-worker.ts');
  await worker.ask({ run: service.deps.config.temporal.address });
  const floor = async (size: number): Promise<number> => {
    const before = await worker.ask('COUNT');
    const startMs = performance.now();
    await worker.ask({ start: size });
    await waitUntil(async () => (await worker.ask('COUNT')) >= before + size, 'the floor is done');
    return (size * 1_000) / (performance.now() - startMs);
  };
  await floor(count(200));
  const windows: { floor: number; ours: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const least = await floor(count(perWindow));
    const sale = await bench.sell({ access, concurrency: 64, count: count(perWindow) });
    windows.push({ floor: least, ours: sale.completedPerSecond });
  }
  worker.stop();
  return {
    title: 'Completed per second; the floor is a workflow with an empty local activity',
    columns: ['floor/s', 'ours/s', 'share of floor'],
    rows: [
      [
        median(windows.map((one) => one.floor)),
        median(windows.map((one) => one.ours)),
        median(windows.map((one) => one.ours / one.floor)),
      ],
    ],
  };
}

/** One LIVE partner on two APIs and two workers, which race for each place in its ledger. */
async function withTwoOfEach(bench: Bench, access: PartnerAccess): Promise<BenchTable> {
  const { service, rounds, count, log } = bench;
  log('Two APIs and two workers …');
  const one: SaleResult[] = [];
  const two: SaleResult[] = [];
  for (let round = 1; round <= rounds; round++) {
    one.push(await bench.sell({ access, concurrency: 64, count: count(perWindow) }));
    const both = [...access.baseUrls, await service.startApi('second API')];
    await service.startWorker('second worker');
    const sale = { access: { ...access, baseUrls: both }, concurrency: 64 };
    await bench.sell({ ...sale, count: count(perWindow / 2) });
    two.push(await bench.sell({ ...sale, count: count(perWindow) }));
    await service.stop('second API');
    await service.stop('second worker');
  }
  const row = (what: string, value: (sale: SaleResult) => number) => {
    const shares = two.map((sale, nth) => value(sale) / value(one[nth] as SaleResult));
    return [what, median(one.map(value)), median(two.map(value)), median(shares)];
  };
  return {
    title: 'One LIVE partner, 64 at once, on two APIs and two workers',
    columns: ['', 'one of each', 'two of each', 'share of one'],
    rows: [
      row('answers/s', ({ answers }) => perSecond(answers)),
      row('completed/s', ({ completedPerSecond }) => completedPerSecond),
    ],
  };
}

/** How soon another partner's LIVE purchase begins while TEST purchases of one wait. */
async function pastABacklog(bench: Bench, access: PartnerAccess): Promise<BenchTable> {
  const { service, openPartner, newOrders, run, waiting, log } = bench;
  const { orderEvents } = service.deps.models;
  log(`Another partner past ${waiting} TEST purchases …`);
  const other = { ...access, ...(await openPartner('Other')).keys.LIVE };
  // Some begin while the others are sent.
  const surplus = 1.1;
  await run({ kind: 'purchases', access, orders: newOrders() }, 64, Math.ceil(waiting * surplus));
  const begunAfterMs: number[] = [];
  for (let nth = 0; nth < others; nth++) {
    const orders = newOrders();
    await run({ kind: 'purchases', access: other, orders }, 1, 1);
    const startMs = performance.now();
    const isWaiting: object = { ...isDue, externalOrderId: `${orders}-0` };
    await waitUntil(
      async () => (await orderEvents.findOne(isWaiting)) === null,
      'the other partner’s purchase begins',
    );
    begunAfterMs.push(performance.now() - startMs);
  }
  const still = await orderEvents.countDocuments(isDue);
  await bench.untilCarriedOut();
  return {
    title: 'Another partner’s LIVE purchase begins while TEST purchases of one wait',
    columns: ['waiting at the end', 'median ms', 'longest ms'],
    rows: [[still, median(begunAfterMs), Math.max(...begunAfterMs)]],
  };
}

/** Purchases of one customer, which take turns because each counts towards the same cap. */
async function underADailyCap(bench: Bench, baseUrls: string[]): Promise<BenchTable> {
  const { openPartner, count, log } = bench;
  log('One customer under a daily cap …');
  const { keys } = await openPartner('Capped', { capPerCustomerDayPoints: 1_000_000 });
  const access = { baseUrls, ...keys.LIVE };
  const sale = { access, concurrency: 64, count: count(500), customer: 'regular' };
  const { answers } = await bench.sell(sale);
  const statuses = Object.entries(answers.errors).map(
    ([status, refused]) => `${refused} × ${status}`,
  );
  return {
    title: 'LIVE purchases of one customer under a daily cap, 64 at once',
    columns: ['accepted/s', 'p50 ms', 'p95 ms', 'share refused', 'refused'],
    rows: [
      [
        perSecond(answers),
        answers.p50,
        answers.p95,
        1 - answers.answered / sale.count,
        statuses.join(', ') || 'none',
      ],
    ],
  };
}
