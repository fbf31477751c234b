import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { program } from 'commander';
import { createModels } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createAuditDeps, prove } from './prove-crash/proof.ts';
import { startTraffic } from './prove-crash/traffic.ts';
import { missingTraffic, newTrafficLog } from './prove-crash/traffic-log.ts';
import { startWebhookReceiver } from './prove-crash/webhook-receiver.ts';
import { gapIn } from './prove-failover/gaps.ts';
import { type PagesRead, startPageReads } from './prove-failover/page-reads.ts';
import { serverOptions } from './prove-failover/replicated-service.ts';
import { checkHistories, type HistoryFindings } from './prove-upgrade/histories.ts';
import { formerRelease, presentRelease, removeRelease, runIn } from './prove-upgrade/release.ts';
import { prepareReleases } from './prove-upgrade/release-processes.ts';
import { reportOf, type UpgradeStep } from './prove-upgrade/report.ts';
import { startMongo } from './servers/mongo.ts';
import { startTemporal } from './servers/temporal.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';

program
  .name('prove -- upgrade')
  .description(
    'Upgrades a previous release to this one under load with patches held, rolls back, upgrades again, activates the patches, and checks that nothing was refused or lost and that every workflow continued. Exits with 1 otherwise.',
  )
  .option(
    '--from <tag or commit>',
    'the previous release (default: the latest tag; without one, the oldest commit that this release is compatible with)',
  )
  .option('--seconds <n>', 'seconds of traffic after each step', Number, 8)
  .option('--pause <ms>', 'milliseconds between two requests of one customer or shop', Number, 200)
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const options = program.opts<{ from?: string; seconds: number; pause: number; report?: string }>();

/** Two releases side by side take the cores twice. */
const crowd = { buyers: 6, claimers: 2, pauseMs: options.pause };
const createShopsScript = fileURLToPath(new URL('prove-upgrade/create-shops.ts', import.meta.url));

async function proveAll(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-upgrade-'));
  const former = await formerRelease(options.from, join(dataDir, 'former'));
  const present = await presentRelease();
  log(`from ${former.name} to ${present.name}`);
  const startOptions = serverOptions(dataDir, log);
  const mongo = await startMongo({ ...startOptions, port: 0 });
  const { address } = await startTemporal({ ...startOptions, port: 0, uiPort: 0 });
  const servers = { mongodbUri: mongo.uri, temporalAddress: address };
  const stage = await prepareReleases(startOptions, servers, [former, present]);
  const { env, baseUrl, adminUrl, portalUrl, outboxDir } = stage;
  const migrate = ({ folder }: typeof former) => runIn(folder, ['cli/migrate.ts'], env);

  await migrate(former);
  await stage.start(former, 'active');
  const trafficLog = newTrafficLog();
  const receiver = await startWebhookReceiver(trafficLog.webhooks);
  const created = await runIn(former.folder, [createShopsScript, baseUrl, receiver.url], env);
  const { shops, readers, adminToken, sent, endpoints } = JSON.parse(
    created.stdout.trim().split('\n').at(-1) ?? '',
  );
  trafficLog.sent.push(...sent);
  trafficLog.webhooks.endpoints.push(...endpoints);
  const config = loadConfig(env);
  const models = createModels(await connectMongo(config.mongodbUri));
  const temporal = connectTemporal(config.temporal);
  const { taskQueue } = config.temporal;
  const service = { baseUrl, models, temporal, taskQueue, ...createAuditDeps(config) };

  const stretches: UpgradeStep[] = [];
  const under = async (what: string, step: () => Promise<unknown>): Promise<void> => {
    const fromMs = Date.now();
    await step();
    await delay(options.seconds * 1_000);
    const gap = gapIn(trafficLog, { fromMs, toMs: Date.now() });
    const refused = trafficLog.responses.filter(
      ({ atMs, status }) => atMs >= fromMs && status !== 201 && status !== 0,
    ).length;
    stretches.push({ what, gap, refused });
    log(
      `${what}: ${gap.longestMs} ms without a response; ${gap.succeeded} successes, ${refused} refused, ${gap.silent} without a response`,
    );
  };
  const pages: PagesRead = { shown: 0, away: 0, faults: [] };
  const during = async (work: () => Promise<void>): Promise<void> => {
    const place = { baseUrl, adminUrl, outboxDir, shops, adminToken };
    const traffic = startTraffic(place, trafficLog, crowd);
    const reads = startPageReads(portalUrl, readers);
    await work();
    await Promise.all([traffic.stop(), reads.stop()]);
    pages.shown += reads.read.shown;
    pages.away += reads.read.away;
    pages.faults.push(...reads.read.faults);
  };

  await during(async () => {
    await under('the previous release alone', async () => undefined);
    await under('the new one migrates and joins it', async () => {
      await migrate(present);
      await stage.start(present, 'held');
    });
    await under('the previous one stops', () => stage.stop(former));
    await under('it rejoins the new one', () => stage.start(former, 'active'));
    await under('the new one stops: rolled back', () => stage.stop(present));
  });
  const rolledBack = await prove(service, trafficLog);
  await during(async () => {
    await under('the new one joins again', () => stage.start(present, 'held'));
    await under('the previous one stops for good', () => stage.stop(former));
    await under('the new one’s patches become active', () => stage.activatePatches(present));
  });
  const upgraded = await prove(service, trafficLog);
  const histories = await checkHistories(temporal, taskQueue, stage, present);

  const faults = [
    ...refusedIn(stretches),
    ...rolledBack.faults.map((fault) => `rolled back: ${fault}`),
    ...upgraded.faults,
    ...missingTraffic(trafficLog),
    ...pages.faults,
    ...(pages.shown === 0 ? ['no page was shown'] : []),
    ...faultsOf(histories),
    ...(await complaintsIn(dataDir)),
  ];
  for (const fault of faults) log(`  ${fault}`);
  if (options.report) {
    const proofs = { rolledBack, upgraded };
    const releases = { from: former.name, to: present.name, pauseMs: options.pause };
    const found = { ...releases, stretches, proofs, pages, histories, faults };
    await writeFile(options.report, reportOf(found, trafficLog));
  }
  receiver.stop();
  await temporal.connection.close();
  await models.connection.close();
  await stopAllProcesses();
  await removeRelease(former);
  if (faults.length > 0) log(`The data is kept in ${dataDir}.`);
  else await rm(dataDir, { recursive: true, force: true });
  return faults.length;
}

const refusedIn = (stretches: readonly UpgradeStep[]): string[] =>
  stretches
    .filter(({ refused }) => refused > 0)
    .map(({ what, refused }) => `${what}: ${refused} refused`);

/** A run in which no workflow changed releases proves nothing. */
function faultsOf({
  failed,
  notReplayed,
  patches,
  passedOn: { forward, back },
}: HistoryFindings): string[] {
  return [
    ...failed,
    ...patches.notHeld.map((workflowId) => `${workflowId}: recorded a patch that was held`),
    ...notReplayed,
    ...(forward === 0 ? ['no workflow continued under the new release'] : []),
    ...(back === 0 ? ['no workflow continued under the previous release'] : []),
  ];
}

/** The nondeterminism errors that workers log. */
async function complaintsIn(dataDir: string): Promise<string[]> {
  const names = (await readdir(dataDir)).filter((name) => /^worker-.*\.log$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(dataDir, name), 'utf8')));
  return texts.flatMap((text) =>
    text.split('\n').filter((line) => /non-?determinis|TMPRL1100/i.test(line)),
  );
}

const faults = await runUntilShutdown(shutdownRequested(), proveAll, 130);
log(faults === 0 ? 'Nothing was refused, and nothing was lost.' : `${faults} FAULTS`);
await shutDown(faults === 0 ? 0 : 1);
