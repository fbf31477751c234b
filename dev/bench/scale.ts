import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { InvalidArgumentError, program } from 'commander';
import { readBilling } from '../../api/routes/billing.ts';
import { readUsage } from '../../api/routes/usage.ts';
import { modes } from '../../domain/mode.ts';
import { close, listen } from '../../http/listen.ts';
import { createCheckpoints } from '../../models/audit/checkpoints.ts';
import { runAudit } from '../../models/audit/run.ts';
import { billingStatusAt, createPublishedPlans } from '../../models/billing/index.ts';
import { findNextQueue, findOpenRewards } from '../../models/rewards/open-rewards.ts';
import { findRewardOfPartner } from '../../models/rewards/reward-of-partner.ts';
import { buildIndexes, createModels } from '../../models/schemas/index.ts';
import type { OrderEventDoc } from '../../models/schemas/order-event.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { createPendingQueue } from '../../models/store/pending.ts';
import { readFigures } from '../../models/views/figures.ts';
import { findDueEndpoints } from '../../models/webhooks/deliveries.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createFirstOperator } from '../../operations/operators/create-first.ts';
import { createOperatorUser } from '../../operations/operators/create-operator-user.ts';
import { acceptInvitation } from '../../operations/users/accept-invitation.ts';
import { inviteUser } from '../../operations/users/invite.ts';
import { newId } from '../../platform/ids.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createPortal } from '../../portal/app.ts';
import type { PortalDeps } from '../../portal/deps.ts';
import { log } from '../log.ts';
import { stopAllProcesses } from '../managed-process.ts';
import { startMongo } from '../servers/mongo.ts';
import { userCacheDir } from '../servers.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../shutdown.ts';
import { table } from '../table.ts';
import { depsOf, hashKey, readPage, signIn } from './portal-pages.ts';
import { createPurchaseWorld, type MadePurchase, type PurchaseWorld } from './scale/world.ts';

function sizesIn(text: string): number[] {
  const sizes = text.split(',').map(Number);
  const isRising = sizes.every((size, nth) => size >= 1_000 && size > (sizes[nth - 1] ?? 0));
  if (!isRising)
    throw new InvalidArgumentError('Enter increasing numbers from 1000, separated by commas.');
  return sizes;
}

program
  .name('bench:scale')
  .description(
    'Fills its own database with purchases, created by the functions of the API and the worker and written in large batches, and measures the queries of the service at each size: responses, pages, sweep, reconciliation, figures, and the audit. Prints a table.',
  )
  .option(
    '--sizes <numbers>',
    'numbers of purchases, in increasing order',
    sizesIn,
    [100_000, 1_000_000],
  )
  .option(
    '--partners <number>',
    'number of partners; the first has half of all purchases',
    Number,
    1_000,
  )
  .option('--audit-up-to <number>', 'the largest size to audit completely', Number, 10_000)
  .option('--report <file>', 'also write the table to this file')
  .parse();
const { sizes, partners, auditUpTo, report } = program.opts<{
  sizes: number[];
  partners: number;
  auditUpTo: number;
  report?: string;
}>();

const [rounds, warmUps] = [40, 5];
/** Purchases are created in blocks of this size, two at a time; the progress is logged after this many. */
const [block, progressEvery] = [2_000, 20_000];
/** Queries that examine this many times more than at the first size are listed. */
const maxGrowth = 1.3;

interface SizeResult {
  size: number;
  /** Since the previous size. */
  filledInS: number;
  /** Data and indexes. */
  kB: number;
  measured: CostByName;
  audited: { lookedAt: number; seconds: number } | undefined;
}

interface Cost {
  ms: number;
  /** Index keys and documents that MongoDB examined. */
  examined: number;
}

type CostByName = Map<string, Cost>;

/** What MongoDB examines for some work, by its profiler: independent of other load on the machine. */
async function examinedBy(
  { connection }: Pick<PortalDeps['models'], 'connection'>,
  work: () => Promise<unknown>,
): Promise<number> {
  const { db } = connection;
  if (!db) throw new Error('there is no database');
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const profile = db.collection('system.profile');
  const of = { ns: { $not: /system\.profile$/ } };
  const [sum] = await profile
    .aggregate<{ keys: number; docs: number }>([
      { $match: of },
      {
        $group: { _id: null, keys: { $sum: '$keysExamined' }, docs: { $sum: '$docsExamined' } },
      },
    ])
    .toArray();
  await profile.drop();
  return (sum?.keys ?? 0) + (sum?.docs ?? 0);
}

/** The median of some readings, in milliseconds. @param prepare is not measured */
async function median<T>(read: (prepared: T) => Promise<unknown>, prepare: () => Promise<T>) {
  const timesMs: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    const prepared = await prepare();
    const startMs = performance.now();
    await read(prepared);
    if (round >= 0) timesMs.push(performance.now() - startMs);
  }
  return timesMs.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
}

async function measureAll(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-scale-'));
  const options = { dataDir, env: process.env, log, cacheDir: userCacheDir(process.env), port: 0 };
  const { uri } = await startMongo(options);
  const models = createModels(await connectMongo(uri, 30_000));
  await buildIndexes(models);
  const deps = depsOf(models, uri);
  const world = await createPurchaseWorld(deps, partners);
  log(`${partners} partners`);
  const cookies = await signInAll(deps, world);
  const found: SizeResult[] = [];
  let filled = 0;
  for (const size of sizes) {
    const startMs = performance.now();
    await fill(world, filled, size);
    filled = size;
    const filledInS = (performance.now() - startMs) / 1_000;
    log(`${size} purchases, filled in ${filledInS.toFixed(0)} s`);
    const measured = await measure(deps, world, size, cookies);
    const audited = size <= auditUpTo ? await audit(deps) : undefined;
    found.push({ size, filledInS, kB: await kBIn(deps), measured, audited });
    const text = textOf(found);
    process.stdout.write(text);
    if (report) await writeFile(report, text);
  }
  await models.connection.close();
  await stopAllProcesses();
  await rm(dataDir, { recursive: true, force: true });
}

async function fill(world: PurchaseWorld, from: number, to: number): Promise<void> {
  let next = from;
  const take = async () => {
    while (next < to) {
      const first = next;
      next = Math.min(to, first + block);
      await world.fill(first, next);
      if (next % progressEvery === 0) log(`  ${next}`);
    }
  };
  await Promise.all([take(), take()]);
}

interface Cookies {
  owner: string;
  operator: string;
}

async function signInAll(deps: PortalDeps, { first }: PurchaseWorld): Promise<Cookies> {
  const invitation = await execute(
    { ...deps, sendMessage: async () => undefined },
    inviteUser,
    system('seed'),
    { partnerId: first.partnerId, email: 'owner@bench.example', role: 'owner' },
  );
  const owner = await execute(deps, acceptInvitation, system('seed'), {
    invitationId: invitation._id,
    name: 'An owner',
    password: 'correct horse battery',
  });
  const { partnerId } = first;
  await deps.models.partners.updateOne({ _id: partnerId }, { $set: { 'goLive.state': 'LIVE' } });
  const ada = { name: 'Ada', role: 'admin' as const };
  const { operator } = await execute(deps, createFirstOperator, system('seed'), ada);
  const user = await createOperatorUser(deps, operator, { email: 'ada@bench.example' });
  return { owner: await signIn(deps, owner._id), operator: await signIn(deps, user._id) };
}

async function measure(
  deps: PortalDeps,
  world: PurchaseWorld,
  size: number,
  cookies: Cookies,
): Promise<CostByName> {
  const { models } = deps;
  const measured: CostByName = new Map();
  const note = async <T>(
    what: string,
    read: (prepared: T) => Promise<unknown>,
    prepare: () => Promise<T> = async () => undefined as T,
  ) => {
    const ms = await median(read, prepare);
    const prepared = await prepare();
    measured.set(what, { ms, examined: await examinedBy(models, () => read(prepared)) });
  };
  // Even, so of the first partner; LIVE; and open.
  const middle = world.orderOf(Math.floor(size / 200) * 100 + 50);
  const { partnerId, integrationId } = world.first;
  const event = await models.orderEvents
    .findOne({ partnerId, externalOrderId: middle })
    .lean()
    .orFail();

  await note('API: a new purchase', () => world.buyOne());
  await note('API: replay of an old purchase', () => world.replay(middle));
  const begun = async () => {
    const bought = await world.buyOne();
    await world.begin(bought);
    return bought;
  };
  await note('API: a refund', (bought: MadePurchase) => world.refund(bought), begun);
  const plans = createPublishedPlans(models, 2_000);
  const account = { ...deps, publishedPlans: plans };
  const at = new Date().toISOString();
  const billingStatus = await billingStatusAt(models, partnerId, at);
  const holder = { partnerId, integrationId, mode: 'LIVE', billingStatus, at } as const;
  await note('API: GET usage', () => readUsage(account, holder));
  await note('API: GET billing', () => readBilling(account, holder));
  const { rewardId } = event;
  await note('API: GET reward', () =>
    findRewardOfPartner(models, { partnerId, mode: 'LIVE', rewardId }),
  );
  await note('API: business figures', () => readFigures(models, Date.now()));

  await note('worker: starting and accounting for a purchase', world.begin, () => world.buyOne());
  await note('worker: carrying out a claim', world.carryOut, async () => {
    const bought = await begun();
    await world.claim(bought);
    return bought;
  });
  await world.settle();
  for (const [name, queue] of [
    ['events', createPendingQueue<OrderEventDoc>(models.orderEvents, { type: 'PURCHASE' }, [])],
    ['rewards', createPendingQueue<RewardDoc>(models.rewards, {}, [])],
  ] as const) {
    await note(`worker: sweep of ${name}`, async () => {
      for (const mode of modes) await queue.partners(mode, new Date(), '', 25);
    });
  }
  await note('worker: sweep of webhooks', () =>
    findDueEndpoints(models, new Date(), { after: '', limit: 200 }),
  );
  await note('worker: reconciliation, one page', () =>
    findOpenRewards(models, 'PENDING', { before: new Date(), after: rewardId, limit: 25 }),
  );
  await note('worker: reconciliation, next queue', () =>
    findNextQueue(models, { partnerId, walletId: '' }),
  );

  const server = await listen(createPortal(deps).app, '127.0.0.1', 0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { owner, operator } = cookies;
  const search = (what: string) => `/admin/search?q=${encodeURIComponent(what)}`;
  for (const [what, path, cookie] of [
    ['home', '/home', owner],
    ['log', '/events', owner],
    ['log of an order', `/events?order=${middle}`, owner],
    ['an event', `/events/${event._id}`, owner],
    ['rewards', '/rewards', owner],
    ['search', `/find?q=${middle}`, owner],
    ['usage', '/usage', owner],
    ['billing', '/billing', owner],
    ['funding', '/funding', owner],
    ['operators’ home', '/admin', operator],
    ['operators’ search by order', search(middle), operator],
    ['operators’ search by workflow', search(event.workflowId), operator],
    ['operators’ search without results', search(newId('event')), operator],
    ['operators’ requests', '/admin/requests', operator],
    ['operators’ page of the partner', `/admin/partners/${partnerId}`, operator],
  ] as const) {
    await note(`portal: ${what}`, () => readPage(url + path, cookie));
  }
  await close(server);
  return measured;
}

/** Measures an audit of everything. */
async function audit({ models, ledger, usage }: PortalDeps) {
  const startMs = performance.now();
  const checkpoints = createCheckpoints(hashKey, async () => undefined);
  const run = await runAudit({ models, ledger, usage, checkpoints });
  const seconds = (performance.now() - startMs) / 1_000;
  log(`  ${run.summary}`);
  if (run.faults > 0) process.exitCode = 1;
  return { lookedAt: run.lookedAt, seconds };
}

async function kBIn({ models }: PortalDeps): Promise<number> {
  const { dataSize = 0, indexSize = 0 } = (await models.connection.db?.stats()) ?? {};
  return (dataSize + indexSize) / 1_000;
}

function textOf(found: readonly SizeResult[]): string {
  const first = found[0]?.measured ?? new Map<string, Cost>();
  const names = [...first.keys()];
  const ratioOf = (name: string, measured: CostByName) =>
    (measured.get(name)?.ms ?? 0) / (first.get(name)?.ms ?? 1);
  const rows = names.map((name) => [
    name,
    (first.get(name)?.ms ?? 0).toFixed(1),
    ...found.slice(1).map(({ measured }) => ratioOf(name, measured).toFixed(2)),
    ...found.map(({ measured }) => String(measured.get(name)?.examined ?? 0)),
  ]);
  const [head, ...others] = found.map(({ size }) => size.toLocaleString('en'));
  const more = names.filter((name) =>
    found.some(({ measured }) => {
      const examined = measured.get(name)?.examined ?? 0;
      return examined > Math.max(1, first.get(name)?.examined ?? 0) * maxGrowth;
    }),
  );
  return [
    table(
      [
        ...['query', `ms at ${head}`, ...others.map((other) => `ratio at ${other}`)],
        ...[head, ...others].map((one) => `keys and documents at ${one}`),
      ],
      rows,
    ),
    more.length === 0
      ? `No query examines more than ${maxGrowth} times as much.`
      : `These queries examine more than ${maxGrowth} times as much: ${more.join('; ')}.`,
    table(
      [
        ...['purchases', 'fill time, s', 'kB per purchase, with indexes'],
        ...['items checked', 'audit time, s', 'µs per purchase'],
      ],
      found.map(({ size, filledInS, kB, audited }) => [
        ...[size.toLocaleString('en'), filledInS.toFixed(0), (kB / size).toFixed(1)],
        ...(audited
          ? [
              audited.lookedAt.toLocaleString('en'),
              audited.seconds.toFixed(1),
              ((audited.seconds * 1e6) / size).toFixed(0),
            ]
          : ['–', '–', '–']),
      ]),
    ),
    '',
  ].join('\n\n');
}

await runUntilShutdown(shutdownRequested(), measureAll, 130);
await shutDown(Number(process.exitCode ?? 0));
