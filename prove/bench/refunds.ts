import type { SealedPurchase } from '../../domain/purchase.ts';
import { openEvent } from '../../models/store/sealed-events.ts';
import { type BenchTable, median } from './figures.ts';
import type { PartnerAccess, Work } from './generator.ts';
import { alternate, type Bench, openFloors, tableBesideFloor } from './harness.ts';
import { readCpuMs } from './meter.ts';

const cpuKinds = ['API', 'portal', 'worker', 'MongoDB', 'Temporal'] as const;

/** Each needs a purchase whose workflow has reached its timer. */
const counts = { 1: 50, 16: 200, 64: 300 };

/** Refunds and claims of LIVE purchases that wait at their timers, and redemptions of what was claimed. */
export async function benchRefunds(bench: Bench): Promise<BenchTable[]> {
  const { service, openPartner, count, run, log } = bench;
  const access = {
    baseUrls: [await service.startApi()],
    ...(await openPartner('Bench')).keys.LIVE,
  };
  await service.startWorker();
  await service.startPortal();
  log('Warming up …');
  await run(await refundsOf(bench, access, count(200)), 16, count(200));
  await run(await claimsOf(bench, access, count(200)), 16, count(200));
  await bench.untilCarriedOut();
  const floors = await openFloors(bench, access);

  const measure = async (floor: Work, prepare: typeof refundsOf) => {
    const carriedOutPerSecond: number[] = [];
    const cpuMs: Record<string, number>[] = [];
    const alone = await alternate(bench, {
      floor,
      counts: { 1: 50, 16: 100, 64: 200 },
      async prepare(size) {
        const work = await prepare(bench, access, size);
        await service.stop('worker');
        return work;
      },
      async ours(concurrency, size, work) {
        const answers = await run(work, concurrency, size);
        await service.startWorker();
        await bench.untilCarriedOut();
        return answers;
      },
    });
    const pairs = await alternate(bench, {
      floor,
      counts,
      prepare: (size) => prepare(bench, access, size),
      async ours(concurrency, size, work) {
        const before = await readCpuMs(service.pids());
        const answers = await run(work, concurrency, size);
        const drainMs = await bench.untilCarriedOut();
        const after = await readCpuMs(service.pids());
        if (concurrency === 64) {
          const { answered, elapsedMs } = answers;
          carriedOutPerSecond.push((answered * 1_000) / (elapsedMs + drainMs));
          const spent = Object.entries(after).map(([kind, ms]) => [kind, ms - (before[kind] ?? 0)]);
          cpuMs.push(Object.fromEntries(spent.map(([kind, ms]) => [kind, Number(ms) / answered])));
        }
        return answers;
      },
    });
    return {
      pairs,
      alone,
      costs: [
        median(carriedOutPerSecond),
        ...cpuKinds.map((kind) => median(cpuMs.map((ms) => ms[kind] ?? Number.NaN))),
      ],
    };
  };
  log('Refunds beside the floor of purchases …');
  const refunds = await measure(floors.insert, refundsOf);
  log('Claims beside their floor …');
  const claims = await measure(floors.update, claimsOf);
  log('Redemptions beside the floor of purchases …');
  const redemptions = await measure(floors.insert, redemptionsOf);
  floors.stop();
  return [
    tableBesideFloor('Refunds; the floor is one read and one insert', refunds.pairs),
    tableBesideFloor('Refunds while the worker is stopped', refunds.alone),
    tableBesideFloor('Redemptions; the floor is one read and one insert', redemptions.pairs),
    tableBesideFloor('Claims; the floor is one read and one update', claims.pairs),
    tableBesideFloor('Claims while the worker is stopped', claims.alone),
    {
      title:
        'Carried out per second, from the first of 64 at once until nothing is due, and CPU ms of each',
      columns: ['', 'per second', ...cpuKinds],
      rows: [
        ['refunds', ...refunds.costs],
        ['claims', ...claims.costs],
        ['redemptions', ...redemptions.costs],
      ],
    },
  ];
}

/** Creates purchases and waits until they can be refunded. */
async function refundsOf(bench: Bench, access: PartnerAccess, count: number): Promise<Work> {
  const orders = bench.newOrders();
  await bench.sell({ access, concurrency: 16, count, orders });
  return { kind: 'refunds', access, orders };
}

/** Has the customers of purchases claim a reward each, of which a point is redeemed. */
async function redemptionsOf(bench: Bench, access: PartnerAccess, count: number): Promise<Work> {
  await bench.run(await claimsOf(bench, access, count), 16, count);
  await bench.untilCarriedOut();
  return { kind: 'redemptions', access, orders: bench.newOrders() };
}

/** Creates purchases and waits until they can be claimed. */
async function claimsOf(bench: Bench, access: PartnerAccess, count: number): Promise<Work> {
  const { deps, portalUrl } = bench.service;
  const orders = bench.newOrders();
  await bench.sell({ access, concurrency: 16, count, orders });
  const events = await deps.models.orderEvents.find({
    externalOrderId: { $gt: `${orders}-`, $lt: `${orders}.` },
  });
  const opened = events.map((event) => openEvent(deps.sealer, event));
  const tokens = opened.flatMap((text) =>
    text === null ? [] : [(JSON.parse(text) as SealedPurchase).claimToken],
  );
  return { kind: 'claims', access: { ...access, baseUrls: [portalUrl] }, tokens };
}
