import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from 'commander';
import { createModels, type Models } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { databaseUri } from './database-uri.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createShops } from './prove-crash/create-shops.ts';
import { createAuditDeps, type Proof, prove } from './prove-crash/proof.ts';
import { send } from './prove-crash/send.ts';
import { purchaseIn, startTraffic } from './prove-crash/traffic.ts';
import { missingTraffic, newTrafficLog } from './prove-crash/traffic-log.ts';
import { type AvailabilityGap, gapIn } from './prove-failover/gaps.ts';
import { prepareServiceProcesses, serverOptions } from './prove-failover/replicated-service.ts';
import { temporalDisasters } from './prove-temporal/disasters.ts';
import { startTwoServers, type TwoServers } from './prove-temporal/two-servers.ts';
import { prepareService } from './seed.ts';
import { type ServerOptions, startMongo } from './servers/mongo.ts';
import { startTemporal } from './servers/temporal.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { table } from './table.ts';

program
  .name('prove:temporal')
  .description(
    'Runs the service on two Temporal servers of one cluster on PostgreSQL under load, upgrades and downgrades them, breaks the cluster in every way in turn, and checks that nothing was lost. Exits with 1 if anything was.',
  )
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { report } = program.opts<{ report?: string }>();

/** Less than two cores complete while running everything. */
const crowd = { buyers: 4, claimers: 1, pauseMs: 400 };
const calmMs = 4_000;
const patienceMs = 300_000;
/** The purchases to time, and how many are sent at a time. */
const burst = 600;
const buyers = 16;

/** An event of the cluster, and its effect on the traffic. */
interface ClusterDisasterResult {
  name: string;
  gap: AvailabilityGap;
  /** From full recovery until everything accepted before it was carried out. */
  caughtUpMs: number;
}

async function proveAll(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-temporal-'));
  const options = serverOptions(dataDir, log);
  const servers = await startTwoServers(dataDir, log);
  const mongo = await startMongo({ ...options, port: 0 });
  const setup = await setUpService(options, mongo.uri, servers.address);
  const { models, trafficLog } = setup;
  const traffic = startTraffic(setup, trafficLog, crowd);
  await delay(calmMs);

  const results: ClusterDisasterResult[] = [];
  const unanswered: string[] = [];
  for (const { name, strike } of temporalDisasters) {
    const fromMs = Date.now();
    await strike(servers);
    await servers.whole();
    const caughtUpMs = await untilCaughtUp(models);
    const gap = gapIn(trafficLog, { fromMs, toMs: Date.now() });
    results.push({ name, gap, caughtUpMs });
    if (gap.unavailable + gap.silent > 0) unanswered.push(`${name}: requests got no response`);
    log(
      `${name}: ${gap.longestMs} ms without a response; ${gap.succeeded} successes, ${gap.unavailable} times 503, ${gap.silent} without a response; backlog cleared after ${caughtUpMs} ms`,
    );
    await delay(calmMs);
  }
  await traffic.stop();
  const proof = await prove(setup, trafficLog, patienceMs);
  proof.faults.push(...missingTraffic(trafficLog), ...unanswered);
  for (const fault of proof.faults) log(`  ${fault}`);

  const onPostgres = await begunPerSecond(setup);
  await setup.close();
  const alone = { ...options, dataDir: join(dataDir, 'development') };
  const development = await startTemporal({ ...alone, port: 0, uiPort: 0 });
  const beside = databaseUri(mongo.uri, 'beside_the_development_server');
  const other = await setUpService(alone, beside, development.address);
  const onDevelopment = await begunPerSecond(other);
  await other.close();
  log(
    `started per second: ${onPostgres} on PostgreSQL, ${onDevelopment} on the development server`,
  );
  if (report) {
    const rates = { onPostgres, onDevelopment };
    const { versions } = servers;
    await writeFile(
      report,
      reportOf({ results, proof, versions, rates, sent: trafficLog.sent.length }),
    );
  }
  await stopAllProcesses();
  if (proof.faults.length > 0) log(`The data is kept in ${dataDir}.`);
  else await rm(dataDir, { recursive: true, force: true });
  return proof.faults.length;
}

type ServiceSetup = Awaited<ReturnType<typeof setUpService>>;

/** The service on these servers, with its shops, and the inputs of a proof. */
async function setUpService(options: ServerOptions, mongodbUri: string, temporalAddress: string) {
  await mkdir(options.dataDir, { recursive: true });
  const service = await prepareServiceProcesses(options, { mongodbUri, temporalAddress });
  const { baseUrl, adminUrl, outboxDir } = service;
  const config = loadConfig(service.env);
  const { taskQueue } = config.temporal;
  await prepareService(config);
  const models = createModels(await connectMongo(config.mongodbUri));
  const temporal = connectTemporal(config.temporal);
  await service.startService();
  const trafficLog = newTrafficLog();
  const { shops, adminToken } = await createShops({ config, models, baseUrl, trafficLog });
  return {
    baseUrl,
    adminUrl,
    outboxDir,
    shops,
    adminToken,
    trafficLog,
    models,
    temporal,
    taskQueue,
    ...createAuditDeps(config),
    async close(): Promise<void> {
      await service.stopService();
      await temporal.connection.close();
      await models.connection.close();
    },
  };
}

/** How many purchases per second reach their timers, of many sent at once. */
async function begunPerSecond({ baseUrl, shops, models }: ServiceSetup): Promise<number> {
  const shop = shops.find(({ mode }) => mode === 'TEST');
  const beganMs = Date.now();
  let left = burst;
  const buyer = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const sent = purchaseIn(shop);
      while ((await send(baseUrl, sent))?.status !== 201) await delay(100);
    }
  };
  await Promise.all(Array.from({ length: buyers }, buyer));
  await untilCaughtUp(models);
  return Math.round((burst * 10_000) / (Date.now() - beganMs)) / 10;
}

/** @returns milliseconds until everything marked by now has been carried out */
async function untilCaughtUp({ orderEvents, rewards }: Models): Promise<number> {
  const beganMs = Date.now();
  const pending = { pendingSince: { $lt: new Date(beganMs) } };
  while ((await orderEvents.exists(pending)) ?? (await rewards.exists(pending))) {
    if (Date.now() - beganMs > patienceMs) throw new Error('the backlog is not cleared');
    await delay(100);
  }
  return Date.now() - beganMs;
}

const secondsOf = (ms: number): string => (ms / 1_000).toFixed(1);

interface TemporalProof {
  results: readonly ClusterDisasterResult[];
  proof: Proof;
  /** The Temporal releases. */
  versions: TwoServers['versions'];
  /** Purchases per second that reached their timers. */
  rates: { onPostgres: number; onDevelopment: number };
  /** Purchases and refunds. */
  sent: number;
}

const reportOf = ({
  results,
  proof: { faults, replayed, retried, audited },
  versions: { previous, present },
  rates,
  sent,
}: TemporalProof): string => `# Temporal on PostgreSQL

\`npm run prove:temporal\` builds two minor versions of the Temporal server from its Go module and runs two servers as one
cluster on PostgreSQL, behind a load balancer, with Compose's history shards and settings. The service runs on it with two
APIs and two workers. Two partners sell, their customers claim and their shops refund without a pause during the events in
the first column.

Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} and Temporal ${previous} and ${present} on ${availableParallelism()} shared cores: ${sent} purchases and refunds.

${table(
  ['event', 'longest gap, s', 'succeeded', '503', 'no response', 'backlog cleared after, s'],
  results.map(({ name, gap, caughtUpMs }) => [
    name,
    secondsOf(gap.longestMs),
    ...[gap.succeeded, gap.unavailable, gap.silent].map(String),
    secondsOf(caughtUpMs),
  ]),
)}

The cluster begins with ${previous} and its schema. The upgrade follows [the instructions](../running.md#upgrading-temporal): the
schema first, with the newer version's tool while the older servers run, then one server after the other, with some seconds
in which both versions serve side by side. The downgrade leaves the schema as it is. The other events happen to ${present}.

The longest gap is the longest time without a successful response. Responses depend on MongoDB alone, so they continue while
the cluster is down; a failed one would be a fault. The last column counts from the moment both servers were up again until
every workflow had begun that was due by then.

At the end, with the traffic stopped, the checks of [the crash proof](crash.md): ${replayed} responses were replayed byte for byte,
${retried} events without a response were sent again and succeeded, every open reward has its workflow, and the audit checked
${audited} records.

${faults.length === 0 ? 'Nothing was lost.' : faults.map((fault) => `- ${fault}`).join('\n')}

## Throughput

${burst} purchases, ${buyers} at a time, up to their timers: ${rates.onPostgres} per second on this cluster, ${rates.onDevelopment} per second in the same run on
the development server that \`npm start\` runs (one process, SQLite).
`;

const faults = await runUntilShutdown(shutdownRequested(), proveAll, 130);
log(faults === 0 ? 'Nothing was lost.' : `${faults} FAULTS`);
await shutDown(faults === 0 ? 0 : 1);
