import { performance } from 'node:perf_hooks';
import { modes } from '../../domain/mode.ts';
import { dueAfter } from '../../models/due.ts';
import { findOpenRewards } from '../../models/rewards/open-rewards.ts';
import { findDueEndpoints } from '../../models/webhooks/deliveries.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { topUp } from '../../operations/wallets.ts';
import { type BenchTable, median } from './figures.ts';
import { type Bench, waitUntil } from './harness.ts';
import { type BenchWorld, createWorld, type MadePurchase } from './world.ts';

const few = 1_000;
const readings = 40;
const warmUps = 5;

/** What queries and the audit cost with few purchases and with many, and one wallet with many waiting. */
export async function benchScale(bench: Bench): Promise<BenchTable[]> {
  const waiting = await fundWaiting(bench);
  const { service, isQuick, records, log } = bench;
  const { models } = service.deps;
  const world = await createWorld(bench, isQuick ? 5 : 200);
  const sizes = [isQuick ? few / 10 : few, records];
  const bySize: Map<string, Cost>[] = [];
  const filling: (string | number)[][] = [];
  let filled = 0;
  for (const size of sizes) {
    log(`Filling up to ${size} …`);
    const startMs = performance.now();
    await world.fill(filled, size);
    const perSecond = ((size - filled) * 1_000) / (performance.now() - startMs);
    filled = size;
    const { dataSize = 0, indexSize = 0 } = (await models.connection.db?.stats()) ?? {};
    log('Measuring …');
    bySize.push(await measure(bench, world, size));
    log('Auditing …');
    const { lookedAt, seconds, faults } = await service.audit();
    const kB = (dataSize + indexSize) / 1_000 / size;
    filling.push([size, perSecond, kB, lookedAt, seconds, faults]);
  }
  return [
    waiting,
    {
      title: 'Queries by number of purchases; examined are index keys and documents',
      columns: [
        'query',
        ...sizes.map((size) => `ms at ${size}`),
        ...sizes.map((size) => `examined at ${size}`),
      ],
      rows: [...(bySize[0]?.keys() ?? [])].map((name) => {
        const found = bySize.map((measured) => measured.get(name));
        return [
          name,
          ...found.map((one) => one?.ms ?? Number.NaN),
          ...found.map((one) => one?.examined ?? Number.NaN),
        ];
      }),
    },
    {
      title: 'The database and its audit',
      columns: ['purchases', 'filled/s', 'kB each', 'audited items', 'audit s', 'faults'],
      rows: filling,
    },
  ];
}

/** LIVE rewards of one partner that all wait for funds, until one top-up has funded the last. */
async function fundWaiting(bench: Bench): Promise<BenchTable> {
  const { service, openPartner, count, log } = bench;
  const { deps } = service;
  const waiting = count(10_000);
  log(`${waiting} rewards that wait for funds …`);
  const baseUrls = [await service.startApi()];
  await service.startWorker();
  const { partnerId, keys } = await openPartner('Unfunded', { fundingCents: 0 });
  await bench.sell({ access: { baseUrls, ...keys.LIVE }, concurrency: 64, count: waiting });
  const isWaiting = { partnerId, state: 'AWAITING_FUNDING' } as const;
  const found = await deps.models.rewards.countDocuments(isWaiting);
  if (found !== waiting) throw new Error(`${found} of ${waiting} rewards wait for funds`);
  const startMs = performance.now();
  await execute(deps, topUp, system('seed'), {
    partnerId,
    currency: 'USD',
    amountCents: 10_000_000_000,
    externalReference: 'one top-up for all',
  });
  await waitUntil(
    async () => (await deps.models.rewards.findOne(isWaiting)) === null,
    'all rewards are funded',
  );
  const seconds = (performance.now() - startMs) / 1_000;
  await bench.untilCarriedOut();
  await service.stop('API');
  await service.stop('worker');
  return {
    title: 'One LIVE wallet whose waiting rewards are funded by one top-up',
    columns: ['waiting rewards', 'seconds', 'funded/s'],
    rows: [[waiting, seconds, waiting / seconds]],
  };
}

interface Cost {
  ms: number;
  /** Index keys and documents that MongoDB examined: independent of other load on the machine. */
  examined: number;
}

async function measure(bench: Bench, world: BenchWorld, size: number): Promise<Map<string, Cost>> {
  const { models } = bench.service.deps;
  const measured = new Map<string, Cost>();
  const note = async <T>(
    what: string,
    read: (prepared: T) => Promise<unknown>,
    prepare: () => Promise<T> = async () => undefined as T,
  ) => {
    const timesMs: number[] = [];
    for (let round = -warmUps; round < bench.count(readings); round++) {
      const prepared = await prepare();
      const startMs = performance.now();
      await read(prepared);
      if (round >= 0) timesMs.push(performance.now() - startMs);
    }
    const prepared = await prepare();
    const examined = await examinedBy(bench, () => read(prepared));
    measured.set(what, { ms: median(timesMs), examined });
  };
  const begun = async (): Promise<MadePurchase> => {
    const bought = await world.buyOne();
    await world.begin(bought);
    return bought;
  };
  const replayed = world.orderOf(2 * Math.floor(size / 4));
  const after = '';

  await note('a purchase', async () => world.begin(await world.buyOne()));
  await note('a replay', () => world.replay(replayed));
  await note('a refund and its workflow’s look', refundOne, begun);
  await note('a claim and its workflow’s look', claimOne, begun);
  await note('what is due', async () => {
    for (const mode of modes) await dueAfter(models, mode, after, 100);
  });
  await note('sweep of webhooks', () =>
    findDueEndpoints(models, new Date(), { after, limit: 200 }),
  );
  await note('reconciliation, one page', () =>
    findOpenRewards(models, 'FUNDED', { before: new Date(), after, upTo: '~', limit: 25 }),
  );
  return measured;

  async function refundOne(bought: MadePurchase): Promise<void> {
    await world.refund(bought);
    await world.look(bought);
  }

  async function claimOne(bought: MadePurchase): Promise<void> {
    await world.claim(bought);
    await world.look(bought);
  }
}

/** What MongoDB examines for some work, by its profiler. */
async function examinedBy({ service }: Bench, work: () => Promise<unknown>): Promise<number> {
  const { db } = service.deps.models.connection;
  if (!db) throw new Error('there is no database');
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const profile = db.collection('system.profile');
  const [sum] = await profile
    .aggregate<{ examined: number }>([
      { $match: { ns: { $not: /system\.profile$/ } } },
      { $group: { _id: null, examined: { $sum: { $add: ['$keysExamined', '$docsExamined'] } } } },
    ])
    .toArray();
  await profile.drop();
  return sum?.examined ?? 0;
}
