import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError, program } from 'commander';
import { createCheckpoints } from '../models/audit/checkpoints.ts';
import { createUsage } from '../models/billing/index.ts';
import { createLedger } from '../models/ledger/index.ts';
import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { stopAllGuarded } from './guarded.ts';
import { log } from './log.ts';
import { missingIn, newDiary } from './prove-crash/diary.ts';
import { killAsItAnswers } from './prove-crash/kill-as-it-answers.ts';
import { type Proof, prove } from './prove-crash/proof.ts';
import { type Round, reportOf } from './prove-crash/report.ts';
import { openShops } from './prove-crash/shops.ts';
import { openStage, type Part, parts } from './prove-crash/stage.ts';
import { startTraffic } from './prove-crash/traffic.ts';
import { leave, orderly, untilStopped } from './until-stopped.ts';

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 600) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 600.');
}

program
  .name('prove:crash')
  .description(
    'Runs the whole service on data of its own, lets traffic pour in, kills each process in turn and all at once with SIGKILL, and proves that nothing was lost. Exits 1 when something was.',
  )
  .option('--seconds <n>', 'traffic before and after each crash', count, 8)
  .option('--kills <n>', 'how often the API is killed as it answers', count, 200)
  .option('--report <file>', 'write what was found, as Markdown')
  .parse();
const options = program.opts<{ seconds: number; kills: number; report?: string }>();

const crashes: (readonly Part[])[] = [...parts.map((part) => [part]), parts];
/** How long a killed process stays away: longer than an answer may take. */
const awayMs = 6_000;

async function proveAll(): Promise<number> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-crash-'));
  const stage = await openStage(dataDir, log);
  const config = loadConfig(stage.env);
  await registerSearchAttributes(config.temporal.address, config.temporal.namespace);
  const models = createModels(await connectMongo(config.mongodbUri));
  const temporal = connectTemporal(config.temporal);
  await ensureSchedules(temporal, config.temporal.taskQueue);
  await buildIndexes(models);
  await stage.startService();
  const diary = newDiary();
  const { shops, adminToken } = await openShops({ config, models, baseUrl: stage.baseUrl, diary });

  const { baseUrl, adminUrl, outboxDir } = stage;
  const place = { baseUrl, adminUrl, outboxDir, shops, adminToken };
  const ledger = createLedger(models, config.customerHashKey);
  const usage = createUsage(models, config.customerHashKey);
  const { taskQueue } = config.temporal;
  // Each round's audit is held against those before it; the proof needs no log of them.
  const checkpoints = createCheckpoints(config.customerHashKey, async () => undefined);
  const service = { baseUrl, models, ledger, usage, checkpoints, temporal, taskQueue };
  const rounds: Round[] = [];
  const note = async (killed: string): Promise<void> => {
    const proof = await prove(service, diary);
    rounds.push({ killed, proof });
    log(lineOf(killed, proof));
  };
  for (const victims of crashes) {
    const traffic = startTraffic(place, diary);
    await delay(options.seconds * 1_000);
    await stage.kill(victims);
    await delay(awayMs);
    await stage.revive(victims);
    await delay(options.seconds * 1_000);
    await traffic.stop();
    await note(victims.join(', '));
  }
  const caught = await killAsItAnswers({ stage, shops, models, diary }, options.kills);
  await note(`API, ${options.kills} times between insert and start (${caught} purchases)`);
  rounds.at(-1)?.proof.faults.push(...missingIn(diary));
  const faults = rounds.flatMap(({ proof }) => proof.faults);
  for (const fault of faults) log(`  ${fault}`);
  if (options.report) await writeFile(options.report, reportOf(rounds, diary, startedAt));
  await temporal.connection.close();
  await models.connection.close();
  await stopAllGuarded();
  if (faults.length > 0) log(`The data stays in ${dataDir}.`);
  else await rm(dataDir, { recursive: true, force: true });
  return faults.length;
}

function lineOf(killed: string, { replayed, retried, audited, faults }: Proof): string {
  return `killed ${killed}: ${replayed} answers replayed, ${retried} events retried, ${audited} records audited, ${faults.length} faults`;
}

const faults = await orderly(untilStopped(), proveAll, 130);
log(faults === 0 ? 'Nothing was lost.' : `${faults} FAULTS`);
await leave(faults === 0 ? 0 : 1);
