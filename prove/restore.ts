import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from 'commander';
import pMap from 'p-map';
import { log } from '../dev/log.ts';
import type { ServerOptions } from '../dev/servers/mongo.ts';
import { lastBackup } from '../models/store/backups.ts';
import { scheduleIdOf } from '../temporal/schedules.ts';
import { addGuardedMongo, openBackupJob } from './restore/job.ts';
import { openStage, type ProofFindings, runProof, type Stage } from './support/harness.ts';
import { addMongo, addTemporal, createProcesses } from './support/processes.ts';
import {
  ask,
  isFinal,
  missingTraffic,
  newTrafficLog,
  type SentEvent,
  send,
  type TrafficLog,
} from './support/traffic-log.ts';

program
  .name('prove -- restore')
  .description(
    'Copies MongoDB under load, destroys it, restores the copy beside a newer Temporal, has the partners send again what was lost, and checks that everything is complete. Exits with 1 if it is not.',
  )
  .option('--empty-temporal', 'destroys Temporal’s data, too')
  .option(
    '--job',
    'copies with the chart’s backup job, which needs Go and MongoDB’s database tools',
  )
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { emptyTemporal, job, report } = program.opts<{
  emptyTemporal?: true;
  job?: true;
  report?: string;
}>();

const howCopied = job
  ? 'the chart’s backup job: mongodump with the oplog'
  : 'fsyncLock, files, fsyncUnlock';
const level = { buyers: 8, claimers: 2, pauseMs: 100 };
const trafficMs = 10_000;

async function prove(options: ServerOptions): Promise<ProofFindings> {
  const { dataDir } = options;
  const audit = join(dataDir, 'audit');
  const auditLog = join(audit, 'audit.log');
  await mkdir(audit);
  // Open rewards are reconciled at once, and erasures are repeated from the log.
  const settings = { RECONCILE_AFTER_SECONDS: '0', AUDIT_LOG: auditLog, LOG_LEVEL: 'info' };
  const processes = createProcesses();
  const own = { ...options, env: { ...options.env, ...settings } };
  const guarded = job && (await addGuardedMongo(processes, options));
  const servers = {
    mongodbUri: guarded?.uri ?? (await addMongo(processes, options)),
    temporalAddress: await addTemporal(processes, options),
  };
  const backupJob = guarded && (await openBackupJob({ dataDir, audit }, guarded));
  const stage = await openStage(processes, own, servers);
  const rows: string[][] = [];
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    const result = await work();
    rows.push([what, ((performance.now() - beganMs) / 1_000).toFixed(1)]);
    log(rows.at(-1)?.join(': ') ?? '');
    return result;
  };
  const command = (args: string[], input = '') =>
    spawnSync(process.execPath, args, { env: stage.env, input, encoding: 'utf8' });
  const succeed = async (args: string[], input?: string): Promise<void> => {
    const { status, stderr } = command(args, input);
    if (status !== 0) throw new Error(stderr);
  };

  const [data, copy] = [join(dataDir, 'mongodb'), join(dataDir, 'copy')];
  let before = newTrafficLog();
  await stage.underTraffic(level, async () => {
    await delay(trafficMs);
    while (missingTraffic(stage.trafficLog).length > 0) await delay(1_000);
    before = await timed(`MongoDB copied under traffic (${howCopied})`, async () => {
      if (!backupJob) return await copied(stage, () => cp(data, copy, { recursive: true }));
      const noted = noteSent(stage.trafficLog);
      await backupJob.copy();
      await succeed(backupJob.note);
      return noted;
    });
    await delay(trafficMs);
  });
  const customerId = await erase(stage);
  await timed('audit, with its checkpoints in a log', () => succeed(['cli/audit.ts']));
  const isNoted = (await lastBackup(stage.models)) !== null;

  await processes.kill(['API', 'portal', 'worker', 'MongoDB', 'Temporal']);
  const destroyed = (await readdir(dataDir)).filter((name) => name.startsWith('temporal.db'));
  if (emptyTemporal) for (const name of destroyed) await rm(join(dataDir, name));
  await rm(data, { recursive: true });
  if (!backupJob) await timed('files restored', () => cp(copy, data, { recursive: true }));
  await timed('MongoDB and Temporal started', () => processes.start(['MongoDB', 'Temporal']));
  if (backupJob) await timed('mongorestore', () => backupJob.putBack());
  await timed('migrate', () => succeed(['cli/migrate.ts']));
  const lines = await erasedLines(audit);
  await timed('erase-again', () => succeed(['cli/erase-again.ts'], lines));
  await timed('worker, API and portal started', () => processes.start(['worker', 'API', 'portal']));

  await stage.reconnect();
  const lost = await lostSince(stage);
  const { schedule } = stage.temporal;
  await schedule.getHandle(scheduleIdOf('reconciliation', stage.taskQueue)).trigger();
  const inCopy = new Set(before.sent.map(({ idempotencyKey }) => idempotencyKey));
  const resent = stage.trafficLog.sent
    .filter(({ idempotencyKey }) => !inCopy.has(idempotencyKey))
    .map((one) => ({ ...one }));
  await timed('everything sent since sent again', () => sendAgain(stage, resent));
  before.sent.push(...resent);
  const { faults, replayed, audited } = await timed(
    'workflows of all open rewards, and the audit',
    () => stage.check(before),
  );
  if (job && !isNoted) faults.push('the backup was not noted for its alert');
  if (!(await stage.models.erasures.exists({ customerId }))) {
    faults.push('the customer erased after the copy is not erased');
  }
  const { status, stdout } = await timed('audit --log', async () =>
    command(['cli/audit.ts', '--log', auditLog]),
  );
  if (status !== 1) {
    faults.push(`the audit did not notice that the copy is older than its log: ${stdout}`);
  }
  const found = `${lost.events} events and ${lost.claims} claims answered after the backup were lost, as expected. The ${resent.length} events that the partners
had sent since were sent again and succeeded. Then ${replayed} responses, from before and after, were replayed byte for byte, every open
reward had its workflow, and the audit checked ${audited} records. \`audit --log\` reports that the ledger is older than its log. The
customer erased after the backup is erased again.`;
  log(found);
  return {
    intro: intro(),
    trafficLog: stage.trafficLog,
    columns: ['step', 'seconds'],
    rows,
    outro: found,
    faults,
  };
}

/** Copies the locked files. @returns the log at that time: nothing written later is in the copy */
async function copied(
  { models, trafficLog }: Stage,
  copy: () => Promise<void>,
): Promise<TrafficLog> {
  const admin = models.connection.getClient().db('admin');
  await admin.command({ fsync: 1, lock: true });
  try {
    const noted = noteSent(trafficLog);
    await copy();
    return noted;
  } finally {
    await admin.command({ fsyncUnlock: 1 });
  }
}

/** Everything that is answered by now. Requests under way may be in a copy or not, and are sent again. */
const noteSent = ({ sent, claimed, decided }: TrafficLog): TrafficLog => ({
  ...newTrafficLog(),
  sent: sent.filter(({ response }) => response !== undefined).map((one) => ({ ...one })),
  claimed: new Set(claimed),
  decided: new Map(decided),
});

/** An operator erases a customer who is still in the copy. */
async function erase({ models, adminUrl, adminToken }: Stage): Promise<string> {
  const { customerId } = await models.rewards.findOne({ state: 'CANCELLED' }).orFail();
  const answer = await ask(`${adminUrl}/customers/${customerId}/erasure`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reference: 'after the copy' }),
  });
  if (answer?.status !== 201) throw new Error(`not erased: ${answer?.status} ${answer?.text}`);
  return customerId;
}

async function erasedLines(audit: string): Promise<string> {
  const files = await readdir(audit);
  const texts = await Promise.all(files.map((name) => readFile(join(audit, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n'));
  return lines.filter((line) => line.includes('customer erased')).join('\n');
}

/** Counts responses whose events are missing. */
async function lostSince({ models, trafficLog: { sent, claimed } }: Stage) {
  const answered = sent.flatMap(({ response }) =>
    response?.status === 201 ? [JSON.parse(response.text).eventId] : [],
  );
  const kept = await models.orderEvents.countDocuments({ _id: { $in: answered } });
  const claims = { _id: { $in: [...claimed] }, 'moves.move': 'CLAIM' };
  const standing = await models.rewards.countDocuments(claims);
  return { events: answered.length - kept, claims: claimed.size - standing };
}

/** The partners send events again with the same bytes, refunds after their purchases. */
async function sendAgain({ baseUrl }: Stage, events: readonly SentEvent[]): Promise<void> {
  for (const kind of ['purchases', 'refunds']) {
    await pMap(
      events.filter((one) => one.kind === kind),
      async (event) => {
        const answer = await send(baseUrl, event);
        event.response = answer && isFinal(answer) ? answer : undefined;
      },
      { concurrency: 8 },
    );
  }
}

const intro = (): string => `# A restore

\`npm run prove -- restore\` has two partners sell, claim and refund for at least ${trafficMs / 1_000} s, copies MongoDB
(${howCopied}), continues for ${trafficMs / 1_000} s, has an operator erase a customer, kills every process and deletes the data of MongoDB. Then it
restores the backup beside a Temporal that ${emptyTemporal ? 'is empty' : 'knows what happened after it'}, and the partners send
again everything they have sent since.`;

await runProof('restore', report, prove);
