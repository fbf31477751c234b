import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookExamples } from '../../domain/webhook-examples.ts';
import { everyEventType, type WebhookFact } from '../../domain/webhooks.ts';
import { webhookHeaders, webhookKey } from '../../messaging/webhooks/sign.ts';
import { announce, deliveryOf } from '../../models/webhooks/announce.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createPartner } from '../../operations/partners/create.ts';
import { createWebhookEndpoint } from '../../operations/webhook-endpoints/create.ts';
import { forEachConcurrently } from '../../platform/for-each-concurrently.ts';
import { newId } from '../../platform/ids.ts';
import { createSealer } from '../../platform/sealing.ts';
import { log } from '../log.ts';
import { stopAllProcesses } from '../managed-process.ts';
import { startChild } from './load/child.ts';
import { figure, percentile, table } from './load/figures.ts';
import { describeMachine } from './load/machine.ts';
import { memoryOf, readMeter, usedBetween } from './load/meter.ts';
import { setUpLoad } from './load/setup.ts';
import { withSection } from './section.ts';
import { backlogSection, measureBacklog } from './webhook-backlog.ts';
import { costOfPurchases, ratioOf } from './webhook-cost.ts';
import type { Arrivals, ReceiverQuestion } from './webhook-receivers.ts';

/**
 * `npm run bench:webhooks`: deliveries per second to a healthy endpoint, alone and alongside endpoints that
 * hang, fail and are slow; the delay of its events; and their cost to a worker. `-- --backlog` instead
 * measures a backlog of a million and its purge. Each replaces its section of docs/performance.md.
 * `-- --cost` measures only the cost to a worker, and `-- --quick` runs briefly; neither writes the page.
 */
const isQuick = process.argv.includes('--quick');
const isCostAlone = process.argv.includes('--cost');
const isOfBacklog = process.argv.includes('--backlog');
const rounds = isQuick ? 3 : 5;
const perRound = isQuick ? 1_000 : 2_000;
/** The backlog of each unhealthy endpoint. */
const backlog = isQuick ? 400 : 2_000;
const endpointsTogether = 10;
/** As many as the service sends to one endpoint at a time. */
const atOnce = 8;
const pace = isQuick ? { perSecond: 5, seconds: 12 } : { perSecond: 20, seconds: 15 };
const sale = isQuick ? { turns: 3, purchases: 300 } : { turns: 9, purchases: 400 };
const quiet = isQuick ? { endpoints: 40, settleMs: 4_000 } : { endpoints: 200, settleMs: 6_000 };
/** The large backlog of one endpoint, and how long it is delivered. */
const large = isQuick ? { count: 20_000, forMs: 10_000 } : { count: 1_000_000, forMs: 60_000 };
const patienceMs = 240_000;
/** A change of an endpoint takes effect within this time. */
const noticedMs = 1_500;
const report = new URL('../../docs/performance.md', import.meta.url);

const startedAt = new Date();
const dataDir = await mkdtemp(join(tmpdir(), 'bench-webhooks-'));
log(`Data and logs are in ${dataDir}, and are kept if this fails.`);
const setup = await setUpLoad(dataDir, log);
const { service } = setup;
const { models } = service;
await service.restartWorker({ WEBHOOK_ALLOW_LOOPBACK: 'on' });
const receivers = startChild<ReceiverQuestion, Arrivals>('../webhook-receivers.ts');
const { port } = await receivers.ask({ ask: 'PORT' });
const deps = {
  models,
  sealer: createSealer(service.config.masterKeys),
  now: Date.now,
  config: { ...service.config, webhooks: { ...service.config.webhooks, allowLoopback: true } },
};

/** An endpoint, by default of a new partner. */
async function anEndpoint(path: string, of?: string) {
  const partnerId =
    of ?? (await execute(deps, createPartner, system('seed'), { name: 'Bench' }))._id;
  const made = await execute(deps, createWebhookEndpoint, system('seed'), {
    partnerId,
    mode: 'TEST',
    url: `http://127.0.0.1:${port}${path}`,
    eventTypes: [everyEventType],
    description: '',
  });
  return { partnerId, path, endpointId: made.endpoint._id, secret: made.secret };
}
type Endpoint = Awaited<ReturnType<typeof anEndpoint>>;

const anEvent = (partnerId: string): WebhookFact => ({
  type: 'reward.funded',
  partnerId,
  mode: 'TEST',
  at: new Date(),
  fact: newId('webhookEvent'),
  sequence: 1,
  rewardId: 'PNR_bench',
  data: webhookExamples['reward.funded'],
});

async function announceMany({ partnerId }: Endpoint, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 500) {
    const events = Array.from({ length: Math.min(500, count - sent) }, () => anEvent(partnerId));
    await announce(models, events);
  }
}

async function untilArrived({ path }: Pick<Endpoint, 'path'>, count: number): Promise<Arrivals> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const seen = await receivers.ask({ ask: 'ARRIVED', path });
    if (seen.count >= count) return seen;
    if (performance.now() > deadlineMs)
      throw new Error(`${seen.count} of ${count} arrived at ${path}`);
    await delay(100);
  }
}

const forget = (path: string) => receivers.ask({ ask: 'FORGET', path });
const rateOf = ({ count, elapsedMs }: Arrivals): number => (count * 1_000) / elapsedMs;

/** Deliveries per second of waiting events to healthy endpoints. */
async function deliver(endpoints: readonly Endpoint[], each: number): Promise<number> {
  for (const { path } of endpoints) await forget(path);
  await Promise.all(endpoints.map((endpoint) => announceMany(endpoint, each)));
  const seen = await Promise.all(endpoints.map((endpoint) => untilArrived(endpoint, each)));
  return seen.reduce((sum, one) => sum + rateOf(one), 0);
}

/** The minimum cost of a delivery: signed, sent over a keep-alive connection, and recorded in one write. */
async function floor({ partnerId, secret, endpointId }: Endpoint): Promise<number> {
  const path = '/floor';
  const rows = Array.from({ length: perRound }, () => ({
    ...deliveryOf(endpointId, anEvent(partnerId)),
    _id: newId('webhookDelivery'),
    state: 'DELIVERED' as const,
    nextTryAt: null,
  }));
  await models.webhookDeliveries.insertMany(rows);
  await forget(path);
  const agent = new http.Agent({ keepAlive: true });
  const key = webhookKey(secret);
  await forEachConcurrently(atOnce, rows, async ({ _id, eventId: id, body }) => {
    await post(agent, path, webhookHeaders({ id, body }, [key], Date.now() / 1_000), body);
    await models.webhookDeliveries.collection.updateOne(
      { partnerId, _id: _id as never },
      { $set: { deliveredAt: new Date() } },
    );
  });
  agent.destroy();
  return rateOf(await untilArrived({ path }, perRound));
}

function post(agent: http.Agent, path: string, headers: Record<string, string>, body: string) {
  return new Promise<void>((resolve, reject) => {
    const options = { method: 'POST', agent, headers };
    const request = http.request(`http://127.0.0.1:${port}${path}`, options, (response) => {
      response.resume().on('end', resolve);
    });
    request.on('error', reject).end(body);
  });
}

/** Sends events at a steady rate. @returns their delays */
async function paced(endpoint: Endpoint): Promise<Arrivals> {
  await forget(endpoint.path);
  const count = pace.perSecond * pace.seconds;
  for (let sent = 0; sent < count; sent += 1) {
    await announce(models, [anEvent(endpoint.partnerId)]);
    await delay(1_000 / pace.perSecond);
  }
  return await untilArrived(endpoint, count);
}

/** The rate and delay of deliveries: alone, together, and alongside unhealthy endpoints. */
async function measureDeliveries() {
  const healthy = await anEndpoint('/fast');
  const unhealthy = [
    await anEndpoint('/hangs'),
    await anEndpoint('/fails'),
    await anEndpoint('/slow'),
  ];
  const many: Endpoint[] = [];
  for (let nth = 0; nth < endpointsTogether; nth += 1) many.push(await anEndpoint(`/fast/${nth}`));
  const ofUnhealthy = { endpointId: { $in: unhealthy.map(({ endpointId }) => endpointId) } };

  /** Pauses them while others are measured alone, so that both alternate. */
  async function sendToUnhealthy(status: 'ACTIVE' | 'PAUSED'): Promise<void> {
    for (const { partnerId, endpointId, path } of unhealthy) {
      await forget(path);
      await models.webhookEndpoints.updateOne({ partnerId, _id: endpointId }, { status });
    }
    if (status === 'PAUSED') await delay(noticedMs);
    else await Promise.all(unhealthy.map((endpoint) => untilArrived(endpoint, 1)));
  }

  log('warming up');
  await deliver([healthy], perRound);
  await sendToUnhealthy('PAUSED');
  for (const endpoint of unhealthy) await announceMany(endpoint, backlog);
  const rates = { floor: [] as number[], alone: [] as number[], alongside: [] as number[] };
  const together: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    rates.floor.push(await floor(healthy));
    rates.alone.push(await deliver([healthy], perRound));
    together.push(await deliver(many, perRound / endpointsTogether));
    await sendToUnhealthy('ACTIVE');
    rates.alongside.push(await deliver([healthy], perRound));
    await sendToUnhealthy('PAUSED');
    const summary = Object.entries(rates).map(([name, all]) => `${name} ${figure(all.at(-1))}/s`);
    log(`round ${round}: ${summary.join(', ')}`);
  }
  const latePaced = await paced(healthy);
  await sendToUnhealthy('ACTIVE');
  const lateAlongside = await paced(healthy);
  const stillWaiting = await models.webhookDeliveries.countDocuments({
    ...ofUnhealthy,
    state: 'PENDING',
  });
  for (const { partnerId, endpointId } of unhealthy) {
    await models.webhookEndpoints.deleteOne({ partnerId, _id: endpointId });
    await models.webhookDeliveries.deleteMany({ partnerId, endpointId });
  }
  const alongsideRatios = rates.alongside.map(
    (rate, nth) => rate / (rates.alone[nth] ?? Number.NaN),
  );
  return { rates, together, alongsideRatios, latePaced, lateAlongside, stillWaiting };
}

const notLate: Arrivals = { port, count: 0, elapsedMs: 0, p50: Number.NaN, p95: Number.NaN };
const notMeasured: Awaited<ReturnType<typeof measureDeliveries>> = {
  rates: { floor: [], alone: [], alongside: [] },
  together: [],
  alongsideRatios: [],
  latePaced: notLate,
  lateAlongside: notLate,
  stillWaiting: Number.NaN,
};

/** The cost of a purchase to a worker, with and without webhooks. */
async function measureCost() {
  log('the cost of a purchase to a worker, with and without webhooks');
  const shop = await models.credentials.findOne({ mode: 'TEST' }).lean().orFail();
  const { partnerId, endpointId, path } = await anEndpoint('/purchases', shop.partnerId);
  return await costOfPurchases(
    setup,
    {
      async setSubscribed(isOn) {
        await forget(path);
        await models.webhookEndpoints.updateOne(
          { partnerId, _id: endpointId },
          { status: isOn ? 'ACTIVE' : 'DISABLED' },
        );
      },
      untilArrived: (count) => untilArrived({ path }, count),
    },
    { ...sale, log },
  );
}

/** The worker's CPU time per event in milliseconds, if each event goes to a quiet endpoint. */
async function measureQuiet(): Promise<number> {
  log(`${quiet.endpoints} rarely used endpoints`);
  const endpoints: Endpoint[] = [];
  for (let nth = 0; nth < quiet.endpoints; nth += 1) endpoints.push(await anEndpoint('/quiet'));
  await forget('/quiet');
  await delay(quiet.settleMs);
  const before = await readMeter(models, service.pids());
  const startMs = performance.now();
  for (const { partnerId } of endpoints) {
    await announce(models, [anEvent(partnerId)]);
    await delay(1_000 / pace.perSecond);
  }
  await untilArrived({ path: '/quiet' }, endpoints.length);
  await delay(quiet.settleMs);
  const busy = usedBetween(before, await readMeter(models, service.pids()));
  const busyMs = performance.now() - startMs;
  const idleFrom = await readMeter(models, service.pids());
  await delay(quiet.settleMs);
  const idle = usedBetween(idleFrom, await readMeter(models, service.pids()));
  const idleCpuMs = ((idle.cpuMs.worker ?? 0) * busyMs) / quiet.settleMs;
  for (const { partnerId } of endpoints) await models.webhookEndpoints.deleteMany({ partnerId });
  return ((busy.cpuMs.worker ?? 0) - idleCpuMs) / endpoints.length;
}

/** Measures a large backlog. @returns its section of the page */
async function measureLargeBacklog(): Promise<string> {
  log(`${large.count} webhooks waiting for one endpoint`);
  const endpoint = await anEndpoint('/fast/backlog');
  const other = await anEndpoint('/fast/other');
  const { partnerId, endpointId } = endpoint;
  const become = (status: 'ACTIVE' | 'PAUSED') =>
    models.webhookEndpoints.updateOne({ partnerId, _id: endpointId }, { status });
  await become('PAUSED');
  const workerPid = service.pids().worker ?? Number.NaN;
  const memoryBefore = await memoryOf(workerPid);
  await announceMany(endpoint, large.count);
  await delay(quiet.settleMs);
  let lateMs = Number.NaN;
  const of = { workerPid, memoryBefore, endpointId, partnerId };
  const cost = await measureBacklog(models, of, async () => {
    await become('ACTIVE');
    const over = delay(large.forMs);
    lateMs = (await paced(other)).p95;
    await over;
    await become('PAUSED');
    await delay(noticedMs);
  });
  return backlogSection(cost, { lateMs, measuredOn: await measuredOn() });
}

/** The date and machine, for both sections. */
async function measuredOn(): Promise<string> {
  const { cores, processor, node, mongodb, temporal } = await describeMachine(service);
  return `on ${startedAt.toISOString().slice(0, 10)}: ${cores} cores (${processor}), Node ${node}, MongoDB ${mongodb},
Temporal ${temporal}.`;
}

async function publish(section: string): Promise<void> {
  log(`\n${section}`);
  if (isQuick || isCostAlone) return;
  await writeFile(report, withSection(await readFile(report, 'utf8'), section));
}

if (isOfBacklog) {
  await publish(await measureLargeBacklog());
  await stop();
}
const { rates, together, alongsideRatios, latePaced, lateAlongside, stillWaiting } = isCostAlone
  ? notMeasured
  : await measureDeliveries();
const quietMs = isCostAlone ? Number.NaN : await measureQuiet();
const cost = await measureCost();
const median = (values: readonly number[]): number => percentile(values, 0.5);
const of = {
  alone: median(rates.alone),
  floor: median(rates.floor),
  alongside: median(rates.alongside),
};
const costs = { withWebhooks: median(cost.withWebhooks), without: median(cost.without) };
const targets: [string, number, '≥' | '≤', number][] = [
  ['one endpoint, relative to the floor', of.alone / of.floor, '≥', 0.25],
  ['ten endpoints together, relative to one', median(together) / of.alone, '≥', 1],
  [
    'one, alongside hanging, failing and slow ones, relative to alone',
    ...([median(alongsideRatios), '≥', 0.8] as const),
  ],
  ['p95 delay from event to arrival alongside them, ms', lateAlongside.p95, '≤', 2_000],
  ['worker’s CPU time per purchase with webhooks, relative to without', ratioOf(cost), '≤', 1.1],
];
const section = `## Webhooks

Written by \`npm run bench:webhooks\` ${await measuredOn()} The floor signs a delivery, sends it over a keep-alive connection, and records it in one write, ${atOnce} at a time
like the service. The receivers run in their own process. Compared figures are measured in alternation; a ratio is the median over the rounds.

${table(
  ['metric', 'target', 'measured', ''],
  targets.map(([what, measured, sign, target]) => [
    ...[what, `${sign} ${figure(target)}`, figure(measured)],
    (sign === '≥' ? measured >= target : measured <= target) ? 'met' : 'NOT MET',
  ]),
)}

${table(
  ['deliveries', 'per second', 'relative to floor'],
  [
    ['floor', figure(of.floor), '–'],
    ['one endpoint', figure(of.alone), figure(of.alone / of.floor)],
    ['ten endpoints together', figure(median(together)), figure(median(together) / of.floor)],
    ['one, alongside three unhealthy ones', figure(of.alongside), figure(of.alongside / of.floor)],
  ],
)}

- ${pace.perSecond} events per second: p50 ${figure(latePaced.p50)} ms and p95 ${figure(latePaced.p95)} ms from the event to its arrival; alongside the unhealthy
  endpoints p50 ${figure(lateAlongside.p50)} ms and p95 ${figure(lateAlongside.p95)} ms. ${figure(stillWaiting)} webhooks were still waiting for those at the end.
- A purchase cost the worker ${figure(costs.without)} ms of CPU time without webhooks, and ${figure(costs.withWebhooks)} ms with its event created, put into the outbox,
  signed, sent and recorded. Medians of ${sale.turns} rounds of ${sale.purchases} purchases, ${figure(median(cost.perSecond))} per second; the CPU time of an idle
  worker is subtracted.
- An event for one of ${quiet.endpoints} rarely used endpoints cost the worker ${figure(quietMs)} ms of CPU time.
`;
await publish(section);
await stop();

async function stop(): Promise<never> {
  receivers.stop();
  await setup.close();
  await stopAllProcesses();
  await rm(dataDir, { recursive: true, force: true });
  process.exit(0);
}
