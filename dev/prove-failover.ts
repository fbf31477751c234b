import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError, program } from 'commander';
import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createShops } from './prove-crash/create-shops.ts';
import { createAuditDeps, prove } from './prove-crash/proof.ts';
import { startTraffic } from './prove-crash/traffic.ts';
import { missingTraffic, newTrafficLog } from './prove-crash/traffic-log.ts';
import { startWebhookReceiver } from './prove-crash/webhook-receiver.ts';
import { type MongoDisaster, mongoDisasters } from './prove-failover/disasters.ts';
import { gapIn } from './prove-failover/gaps.ts';
import { signInReaders, startPageReads } from './prove-failover/page-reads.ts';
import {
  prepareReplicatedService,
  type ReplicatedService,
} from './prove-failover/replicated-service.ts';
import { type DisasterResult, reportOf } from './prove-failover/report.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import type { SmallDisk } from './small-disk.ts';

function among(text: string): string[] {
  const wanted = text.split(',');
  const known = mongoDisasters.map(({ name }) => name);
  for (const one of wanted) {
    if (!known.includes(one)) throw new InvalidArgumentError(`Known ones: ${known.join('; ')}.`);
  }
  return wanted;
}

program
  .name('prove -- failover')
  .description(
    'Runs the service on a replica set of three under load, breaks the set in every way in turn, and checks that nothing was lost. Two of the ways fill a disk, and need root on Linux. Exits with 1 if anything was lost.',
  )
  .option('--only <names>', 'only these events, separated by commas', among)
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const options = program.opts<{ only?: string[]; report?: string }>();

/** Enough traffic that a moment without a response shows, but no more than the workflows complete. */
const crowd = { buyers: 8, claimers: 2, pauseMs: 150 };
const calmMs = 4_000;

async function proveAll(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-failover-'));
  const wanted = mongoDisasters.filter(({ name }) => options.only?.includes(name) ?? true);
  const mounted: SmallDisk[] = [];
  let faults = 0;
  try {
    const disksIn = wanted.some(({ fillsDisk }) => fillsDisk) ? mounted : undefined;
    const stage = await prepareReplicatedService(dataDir, log, disksIn);
    faults = await proveOn(stage, wanted);
    stage.mongo.stop();
  } finally {
    await stopAllProcesses();
    for (const disk of mounted) await disk.unmount();
  }
  if (faults > 0) log(`The data is kept in ${dataDir}.`);
  else await rm(dataDir, { recursive: true, force: true });
  return faults;
}

async function proveOn(
  stage: ReplicatedService,
  wanted: readonly MongoDisaster[],
): Promise<number> {
  const startedAt = new Date();
  const loadAverage = Math.round(loadavg()[1] ?? 0);
  // The proof’s own clock and connections are right; its reads must not fail during a failover.
  const config = loadConfig(stage.env);
  await registerSearchAttributes(config.temporal.address, config.temporal.namespace);
  const models = createModels(await connectMongo(config.mongodbUri, 30_000));
  const temporal = connectTemporal(config.temporal);
  await ensureSchedules(temporal, config.temporal.taskQueue);
  await buildIndexes(models);
  await stage.startService();
  const trafficLog = newTrafficLog();
  const { baseUrl, adminUrl, outboxDir } = stage;
  const receiver = await startWebhookReceiver(trafficLog.webhooks);
  const hookUrl = receiver.url;
  const { shops, adminToken } = await createShops({ config, models, baseUrl, trafficLog, hookUrl });
  const readers = await signInReaders(config, models, shops[0]?.partnerId ?? '');

  const traffic = startTraffic(
    { baseUrl, adminUrl, outboxDir, shops, adminToken },
    trafficLog,
    crowd,
  );
  const pages = startPageReads(stage.portalUrl, readers);
  const results: DisasterResult[] = [];
  await delay(calmMs);
  for (const { name, strike, isOutage } of wanted) {
    const fromMs = Date.now();
    await strike(stage);
    await stage.mongo.whole();
    await delay(calmMs);
    const gap = gapIn(trafficLog, { fromMs, toMs: Date.now() });
    results.push({ name, gap });
    log(
      `${name}: ${gap.longestMs} ms without a response; ${gap.succeeded} successes, ${gap.unavailable} times 503, ${gap.silent} without a response`,
    );
    if (isOutage && gap.unavailable === 0) log('  no response was a 503');
  }
  await Promise.all([traffic.stop(), pages.stop()]);

  const { taskQueue } = config.temporal;
  const service = { baseUrl, models, temporal, taskQueue, ...createAuditDeps(config) };
  const proof = await prove(service, trafficLog);
  proof.faults.push(...missingTraffic(trafficLog), ...pages.read.faults);
  if (pages.read.shown === 0) proof.faults.push('no page was shown');
  for (const fault of proof.faults) log(`  ${fault}`);
  const { version: mongodb } = (await models.connection.db?.admin().serverInfo()) ?? {};
  if (options.report) {
    await writeFile(
      options.report,
      reportOf({ results, proof, mongodb, loadAverage, pages: pages.read }, trafficLog, startedAt),
    );
  }
  receiver.stop();
  await temporal.connection.close();
  await models.connection.close();
  return proof.faults.length;
}

const faults = await runUntilShutdown(shutdownRequested(), proveAll, 130);
log(faults === 0 ? 'Nothing was lost.' : `${faults} FAULTS`);
await shutDown(faults === 0 ? 0 : 1);
