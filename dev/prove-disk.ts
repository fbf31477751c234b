import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from 'commander';
import { createModels } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createShops } from './prove-crash/create-shops.ts';
import { createAuditDeps, prove } from './prove-crash/proof.ts';
import { prepareProcesses, type ServiceProcesses } from './prove-crash/service-processes.ts';
import { startTraffic } from './prove-crash/traffic.ts';
import { newTrafficLog } from './prove-crash/traffic-log.ts';
import { type AvailabilityGap, gapIn } from './prove-failover/gaps.ts';
import { prepareService } from './seed.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { table } from './table.ts';

program
  .name('prove:disk')
  .description(
    'Fills MongoDB’s disk under load, and then that of the logs, makes room again, and checks that nothing was lost. Needs root on Linux. Exits with 1 if anything was.',
  )
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { report } = program.opts<{ report?: string }>();

const crowd = { buyers: 8, claimers: 2, pauseMs: 100 };
const [calmMs, fullMs, patienceMs] = [8_000, 20_000, 120_000];
/** The delay before an exited server is restarted, as by an orchestrator. */
const restartMs = 1_000;

interface DiskFaultResult {
  disk: string;
  gap: AvailabilityGap;
  backMs: number;
}

async function proveAll(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-disk-'));
  const [ofMongo, logDir] = [join(dataDir, 'mongodb'), join(dataDir, 'logs')];
  const disks = [await mountSmallDisk(ofMongo, 768), await mountSmallDisk(logDir, 32)] as const;
  try {
    return await proveOn(dataDir, logDir, disks);
  } finally {
    await stopAllProcesses();
    for (const disk of disks) await disk.unmount();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function proveOn(
  dataDir: string,
  logDir: string,
  [mongoDisk, logDisk]: readonly [SmallDisk, SmallDisk],
): Promise<number> {
  const stage = await prepareProcesses(dataDir, log, logDir);
  // Logs a line for each request.
  stage.env.LOG_LEVEL = 'info';
  const config = loadConfig(stage.env);
  await prepareService(config);
  const models = createModels(await connectMongo(config.mongodbUri, 30_000));
  await stage.startService();
  const trafficLog = newTrafficLog();
  const { baseUrl, adminUrl, outboxDir } = stage;
  const { shops, adminToken } = await createShops({ config, models, baseUrl, trafficLog });
  const traffic = startTraffic(
    { baseUrl, adminUrl, outboxDir, shops, adminToken },
    trafficLog,
    crowd,
  );
  const restarts = keepUp(stage);
  const results: DiskFaultResult[] = [];

  /** Fills a disk for a while. @returns the time when there was room again */
  async function fill(disk: string, small: SmallDisk): Promise<number> {
    await delay(calmMs);
    const fromMs = Date.now();
    await small.fill();
    await delay(fullMs);
    const gap = gapIn(trafficLog, { fromMs, toMs: Date.now() });
    const roomMs = Date.now();
    await small.makeRoom();
    const isBack = () =>
      trafficLog.responses.find(({ atMs, status }) => status === 201 && atMs > roomMs);
    while (!isBack()) {
      if (Date.now() > roomMs + patienceMs)
        throw new Error(`${disk}: the service does not recover`);
      await delay(50);
    }
    results.push({ disk, gap, backMs: (isBack()?.atMs ?? 0) - roomMs });
    const { succeeded, unavailable, silent } = gap;
    log(
      `${disk} full for ${fullMs / 1_000} s: ${succeeded} responses 201, ${unavailable} times 503, ${silent} without a response; recovered after ${results.at(-1)?.backMs} ms`,
    );
    return roomMs;
  }

  await fill('MongoDB’s disk', mongoDisk);
  const logsRoomMs = await fill('the logs’ disk', logDisk);
  await delay(calmMs);
  await traffic.stop();
  const restarted = await restarts.stop();

  const { taskQueue } = config.temporal;
  const temporal = connectTemporal(config.temporal);
  const service = { baseUrl, models, temporal, taskQueue, ...createAuditDeps(config) };
  const { replayed, retried, audited, faults } = await prove(service, trafficLog);
  const [ofMongo, ofLogs] = results;
  if (ofMongo?.gap.unavailable === 0)
    faults.push('MongoDB’s disk was full, but no response was a 503');
  if (ofLogs && ofLogs.gap.unavailable + ofLogs.gap.silent > 0) {
    faults.push('requests were refused because the logs’ disk was full');
  }
  for (const { status, text } of trafficLog.breakdowns) faults.push(`response ${status} ${text}`);
  if (!(await isLoggedSince(logDir, logsRoomMs))) faults.push('logging does not resume');
  for (const fault of faults) log(`  ${fault}`);
  const found = `mongod exited ${restarted} times and was restarted. ${replayed} responses are replayed byte for byte, and ${retried} requests without a response now get one. The audit checked ${audited} records and found ${faults.length} faults. Every response was a success or a 503, and logging resumed.`;
  log(found);
  if (report) await writeFile(report, reportOf(results, found));
  await temporal.connection.close();
  await models.connection.close();
  return faults.length;
}

/** Restarts mongod whenever it exits. */
function keepUp(stage: ServiceProcesses) {
  let isOver = false;
  let restarts = 0;
  const over = Promise.withResolvers<void>();
  const watching = (async () => {
    for (;;) {
      await Promise.race([stage.ended('MongoDB'), over.promise]);
      if (isOver) return;
      restarts += 1;
      await delay(restartMs);
      // A failed start is retried.
      await stage.startAgain(['MongoDB']).catch(() => undefined);
    }
  })();
  return {
    async stop(): Promise<number> {
      isOver = true;
      over.resolve();
      await watching;
      return restarts;
    },
  };
}

/** Whether the API has logged a complete line since an instant. */
async function isLoggedSince(logDir: string, sinceMs: number): Promise<boolean> {
  const files = (await readdir(logDir)).filter((name) => name.startsWith('api-'));
  const texts = await Promise.all(files.map((name) => readFile(join(logDir, name), 'utf8')));
  const last = texts.join('').trimEnd().split('\n').at(-1) ?? '{}';
  return JSON.parse(last).time > sinceMs;
}

const reportOf = (results: DiskFaultResult[], found: string): string => `# A full disk

\`npm run prove:disk\` lets two partners sell, claim and refund on small file systems, fills MongoDB's to the last byte for
${fullMs / 1_000} s, makes room, and then does the same with the one that the API, the portal and the worker log to. If mongod exits, it is
restarted, as an orchestrator would. At the end every request is repeated, and the ledger is audited.

Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}, on one machine:

${table(
  ['full disk', '201 meanwhile', '503', 'no response', 'recovery once there is room, s'],
  results.map(({ disk, gap: { succeeded, unavailable, silent }, backMs }) => [
    disk,
    ...[succeeded, unavailable, silent].map(String),
    (backMs / 1_000).toFixed(1),
  ]),
)}

${found}
`;

const faults = await runUntilShutdown(shutdownRequested(), proveAll, 130);
log(faults === 0 ? 'Nothing was lost.' : `${faults} FAULTS`);
await shutDown(faults === 0 ? 0 : 1);
