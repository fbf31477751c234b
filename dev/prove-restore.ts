import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from 'commander';
import { createModels, type Models } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { scheduleIdOf } from '../temporal/schedules.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createShops } from './prove-crash/create-shops.ts';
import { createAuditDeps, prove } from './prove-crash/proof.ts';
import { ask } from './prove-crash/send.ts';
import { prepareProcesses, processNames } from './prove-crash/service-processes.ts';
import { startTraffic } from './prove-crash/traffic.ts';
import { newTrafficLog, type TrafficLog } from './prove-crash/traffic-log.ts';
import { prepareService } from './seed.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { table } from './table.ts';

program
  .name('prove -- restore')
  .description(
    'Copies MongoDB under load, destroys everything, restores the copy beside an empty Temporal, and checks that everything in the copy is complete. Reports what was lost since. Exits with 1 if more was lost.',
  )
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { report } = program.opts<{ report?: string }>();

const crowd = { buyers: 8, claimers: 2, pauseMs: 100 };
const trafficMs = 10_000;

async function proveAll(): Promise<number> {
  const steps: string[][] = [];
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    const result = await work();
    steps.push([what, ((performance.now() - beganMs) / 1_000).toFixed(1)]);
    log(steps.at(-1)?.join(': ') ?? '');
    return result;
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-restore-'));
  const stage = await prepareProcesses(dataDir, log);
  // An erasure is repeated from its log line.
  stage.env.LOG_LEVEL = 'info';
  // Open rewards are reconciled at once, however recently they changed.
  stage.env.RECONCILE_AFTER_SECONDS = '0';
  const auditLog = join(dataDir, 'audit.log');
  stage.env.AUDIT_LOG = auditLog;
  const config = loadConfig(stage.env);
  await prepareService(config);
  let models = createModels(await connectMongo(config.mongodbUri));
  const { taskQueue } = config.temporal;
  await stage.startService();
  const trafficLog = newTrafficLog();
  const { baseUrl, adminUrl, outboxDir } = stage;
  const { shops, adminToken } = await createShops({ config, models, baseUrl, trafficLog });
  const traffic = startTraffic(
    { baseUrl, adminUrl, outboxDir, shops, adminToken },
    trafficLog,
    crowd,
  );
  await delay(trafficMs);

  const [data, copy] = [join(dataDir, 'mongodb'), join(dataDir, 'copy')];
  const before = await timed('MongoDB copied under traffic (fsyncLock, files, fsyncUnlock)', () =>
    copied(models, trafficLog, () => cp(data, copy, { recursive: true })),
  );
  await delay(trafficMs);
  await traffic.stop();
  const customerId = await erase(models, adminUrl, adminToken);
  await models.connection.close();
  const command = (args: string[], input = '') =>
    spawnSync(process.execPath, args, { env: stage.env, input, encoding: 'utf8' });
  await timed('audit, with its checkpoints in a log', async () => {
    succeeded(command(['cli/audit.ts']));
  });

  await stage.kill(processNames);
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('temporal.db')) await rm(join(dataDir, name));
  }
  await rm(data, { recursive: true });
  await timed('files restored', () => cp(copy, data, { recursive: true }));
  await timed('MongoDB and an empty Temporal started', () =>
    stage.startAgain(['MongoDB', 'Temporal']),
  );
  await timed('migrate', async () => succeeded(command(['cli/migrate.ts'])));
  const lines = await erasedLines(dataDir);
  await timed('erase-again', async () => succeeded(command(['cli/erase-again.ts'], lines)));
  await timed('API, portal and worker started', () => stage.revive(['API', 'portal', 'worker']));

  models = createModels(await connectMongo(config.mongodbUri));
  const lost = await lostSince(models, trafficLog);
  const temporal = connectTemporal(config.temporal);
  await temporal.schedule.getHandle(scheduleIdOf('reconciliation', taskQueue)).trigger();
  const service = { baseUrl, models, temporal, taskQueue, ...createAuditDeps(config) };
  const proof = await timed('workflows of all open rewards, and the audit', () =>
    prove(service, before),
  );
  if (!(await models.erasures.exists({ customerId }))) {
    proof.faults.push('the customer erased after the copy is not erased');
  }
  const audited = await timed('audit --log', async () =>
    command(['cli/audit.ts', '--log', auditLog]),
  );
  if (audited.status !== 1) {
    proof.faults.push(
      `the audit did not notice that the copy is older than its log: ${audited.stdout}`,
    );
  }
  for (const fault of proof.faults) log(`  ${fault}`);
  const found = `${proof.replayed} responses from before the backup are replayed byte for byte. ${lost.events} events and ${lost.claims} claims answered after it are lost, as expected. The audit checked ${proof.audited} records and found ${proof.faults.length} faults. \`audit --log\` reports that the ledger is older than its log.`;
  log(found);
  if (report) await writeFile(report, reportOf(steps, found));
  await temporal.connection.close();
  await models.connection.close();
  await stopAllProcesses();
  if (proof.faults.length === 0) await rm(dataDir, { recursive: true, force: true });
  else log(`The data is kept in ${dataDir}.`);
  return proof.faults.length;
}

/** Copies the locked files. @returns the trafficLog at that time: nothing written later is in the copy */
async function copied(
  models: Models,
  trafficLog: TrafficLog,
  copy: () => Promise<void>,
): Promise<TrafficLog> {
  const admin = models.connection.getClient().db('admin');
  await admin.command({ fsync: 1, lock: true });
  try {
    const { sent, claimed, decided } = trafficLog;
    const noted = {
      ...newTrafficLog(),
      // Requests under way may be in the copy or not, and are sent again.
      sent: sent.map((one) => ({ ...one })),
      claimed: new Set(claimed),
      decided: new Map(decided),
    };
    await copy();
    return noted;
  } finally {
    await admin.command({ fsyncUnlock: 1 });
  }
}

/** An operator erases a customer who is still in the copy. */
async function erase(models: Models, adminUrl: string, adminToken: string): Promise<string> {
  const { customerId } = await models.rewards.findOne({ status: 'CANCELLED' }).orFail();
  const answer = await ask(`${adminUrl}/customers/${customerId}/erasure`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reference: 'after the copy' }),
  });
  if (answer?.status !== 201) throw new Error(`not erased: ${answer?.status} ${answer?.text}`);
  return customerId;
}

async function erasedLines(dataDir: string): Promise<string> {
  const files = (await readdir(dataDir)).filter((name) => name.endsWith('.log'));
  const texts = await Promise.all(files.map((name) => readFile(join(dataDir, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n'));
  return lines.filter((line) => line.includes('customer erased')).join('\n');
}

function succeeded({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(stderr);
}

/** Counts responses whose events are missing. */
async function lostSince(models: Models, { sent, claimed }: TrafficLog) {
  const answered = sent.flatMap(({ response: answer }) =>
    answer?.status === 201 ? [JSON.parse(answer.text).eventId] : [],
  );
  const kept = await models.orderEvents.countDocuments({ _id: { $in: answered } });
  const standing = await models.rewards.countDocuments({
    _id: { $in: [...claimed] },
    'moves.move': 'CLAIM',
  });
  return { events: answered.length - kept, claims: claimed.size - standing };
}

const reportOf = (steps: string[][], found: string): string => `# A restore

\`npm run prove -- restore\` lets two partners sell, claim and refund for ${trafficMs / 1_000} s, copies MongoDB's files under
a lock, continues for as long, has an operator erase a customer, kills every process and deletes the data of MongoDB and
Temporal. Then it [restores the backup](../operations.md#restoring-from-a-backup) beside an empty Temporal.

Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}, on one machine with some hundred megabytes of data:

${table(['step', 'seconds'], steps)}

${found} The customer erased after the backup is erased again.
`;

const faults = await runUntilShutdown(shutdownRequested(), proveAll, 130);
await shutDown(faults === 0 ? 0 : 1);
