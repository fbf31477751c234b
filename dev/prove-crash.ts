import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError, program } from 'commander';
import type { AuditRunDoc } from '../models/schemas/audit.ts';
import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureSchedules, scheduleIdOf } from '../temporal/schedules.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createShops } from './prove-crash/create-shops.ts';
import { killDuringResponses } from './prove-crash/kill-during-responses.ts';
import { createAuditDeps, type Proof, prove } from './prove-crash/proof.ts';
import { type Round, reportOf } from './prove-crash/report.ts';
import {
  type ProcessName,
  prepareProcesses,
  processNames,
} from './prove-crash/service-processes.ts';
import { startTraffic } from './prove-crash/traffic.ts';
import { missingTraffic, newTrafficLog } from './prove-crash/traffic-log.ts';
import { startWebhookReceiver } from './prove-crash/webhook-receiver.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 600) return value;
  throw new InvalidArgumentError('It must be an integer from 1 to 600.');
}

program
  .name('prove -- crash')
  .description(
    'Runs the whole service on its own data under load, kills each process in turn and all at once with SIGKILL, and checks that nothing was lost. Exits with 1 if anything was.',
  )
  .option('--seconds <n>', 'seconds of traffic before and after each crash', count, 8)
  .option('--kills <n>', 'how often to kill the API while it responds', count, 200)
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const options = program.opts<{ seconds: number; kills: number; report?: string }>();

interface Crash {
  victims: readonly ProcessName[];
  /** How long the processes stay down. */
  awayMs: number;
}

/** Longer than any response takes. */
const shortMs = 6_000;
/** Longer than any timeout of the service, so that only Temporal's work is waiting. */
const longMs = 60_000;
const crashes: readonly Crash[] = [
  ...[...processNames.map((part) => [part]), processNames].map((victims) => ({
    victims,
    awayMs: shortMs,
  })),
  { victims: ['Temporal'], awayMs: longMs },
];

async function proveAll(): Promise<number> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-crash-'));
  const stage = await prepareProcesses(dataDir, log);
  const config = loadConfig(stage.env);
  await registerSearchAttributes(config.temporal.address, config.temporal.namespace);
  const models = createModels(await connectMongo(config.mongodbUri));
  const temporal = connectTemporal(config.temporal);
  await ensureSchedules(temporal, config.temporal.taskQueue);
  await buildIndexes(models);
  await stage.startService();
  const trafficLog = newTrafficLog();
  const receiver = await startWebhookReceiver(trafficLog.webhooks);
  const { shops, adminToken } = await createShops({
    config,
    models,
    baseUrl: stage.baseUrl,
    trafficLog,
    hookUrl: receiver.url,
  });

  const { baseUrl, adminUrl, outboxDir } = stage;
  const place = { baseUrl, adminUrl, outboxDir, shops, adminToken };
  const { taskQueue } = config.temporal;
  const service = { baseUrl, models, temporal, taskQueue, ...createAuditDeps(config) };
  const dailyAudit = temporal.schedule.getHandle(scheduleIdOf('audit', taskQueue));
  const rounds: Round[] = [];
  const note = async (killed: string): Promise<void> => {
    const proof = await prove(service, trafficLog);
    rounds.push({ killed, proof });
    log(lineOf(killed, proof));
  };
  for (const { victims, awayMs } of crashes) {
    const traffic = startTraffic(place, trafficLog);
    await delay(options.seconds * 1_000);
    // The audit runs while processes die, and finishes once they are back.
    await dailyAudit.trigger();
    await stage.kill(victims);
    await delay(awayMs);
    await stage.revive(victims);
    await delay(options.seconds * 1_000);
    await traffic.stop();
    await note(victims.join(', ') + (awayMs === longMs ? ', for a minute' : ''));
  }
  for (const [kind, place] of [
    ['purchases', 'between insert and start'],
    ['refunds', 'between event and move'],
  ] as const) {
    const caught = await killDuringResponses(
      { stage, shops, models, trafficLog },
      kind,
      options.kills,
    );
    await note(`API, ${options.kills} times ${place} (${caught} ${kind})`);
    if (caught === 0) rounds.at(-1)?.proof.faults.push(`no kill happened ${place}`);
  }
  const audits = await models.auditRuns.find().sort({ _id: 1 });
  rounds.at(-1)?.proof.faults.push(...missingTraffic(trafficLog), ...wrongAudits(audits));
  const faults = rounds.flatMap(({ proof }) => proof.faults);
  for (const fault of faults) log(`  ${fault}`);
  if (options.report)
    await writeFile(
      options.report,
      reportOf(rounds, { trafficLog, audits: audits.length }, startedAt),
    );
  receiver.stop();
  await temporal.connection.close();
  await models.connection.close();
  await stopAllProcesses();
  if (faults.length > 0) log(`The data is kept in ${dataDir}.`);
  else await rm(dataDir, { recursive: true, force: true });
  return faults.length;
}

/** The results of the audits that ran during the crashes. */
function wrongAudits(runs: readonly AuditRunDoc[]): string[] {
  if (runs.length === 0) return ['no audit finished'];
  return runs
    .filter(({ faults }) => faults > 0)
    .map(({ startedAt, summary }) => `the audit of ${startedAt.toISOString()}: ${summary}`);
}

function lineOf(killed: string, { replayed, retried, audited, faults }: Proof): string {
  return `killed ${killed}: ${replayed} responses replayed, ${retried} events retried, ${audited} records audited, ${faults.length} faults`;
}

const faults = await runUntilShutdown(shutdownRequested(), proveAll, 130);
log(faults === 0 ? 'Nothing was lost.' : `${faults} FAULTS`);
await shutDown(faults === 0 ? 0 : 1);
