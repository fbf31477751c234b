import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { log } from '../../dev/log.ts';
import { stopAllProcesses } from '../../dev/managed-process.ts';
import type { ServerOptions } from '../../dev/servers/mongo.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../../dev/shutdown.ts';
import { awaitReady } from '../../dev/start/await-ready.ts';
import { markdownTable } from '../../dev/table.ts';
import { createModels } from '../../models/schemas/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { auditDeps, checkService, type Proof } from './check.ts';
import { addService, type Processes, type Release, serverOptions } from './processes.ts';
import { createShopsOf, hereRelease, runIn } from './releases.ts';
import { startTraffic, type TrafficLevel } from './traffic.ts';
import { missingTraffic, newTrafficLog, type TrafficLog } from './traffic-log.ts';
import { startWebhookReceiver } from './webhooks.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * The service's processes on these servers, started, with shops that can sell.
 * @param releases of which the first is started and makes the shops; by default this tree alone
 */
export async function openStage(
  processes: Processes,
  options: ServerOptions,
  servers: { mongodbUri: string; temporalAddress: string },
  { copies = 1, releases }: { copies?: number; releases?: readonly Release[] } = {},
) {
  const all = releases ?? [await hereRelease()];
  const [first] = all as [Release];
  const service = await addService(processes, options, servers, { copies, releases: all });
  const { env, baseUrl } = service;
  await runIn(first, ['cli/migrate.ts'], env);
  await service.start(first);
  await awaitReady(`${baseUrl}/statusz`);
  const trafficLog = newTrafficLog();
  const hookUrl = await startWebhookReceiver(trafficLog.webhooks);
  const { sent, endpoints, ...people } = await createShopsOf(first, env, { baseUrl, hookUrl });
  trafficLog.sent.push(...sent);
  trafficLog.webhooks.endpoints.push(...endpoints);
  const config = loadConfig(env);
  const connect = async () => createModels(await connectMongo(config.mongodbUri));
  const temporal = connectTemporal(config.temporal);
  const { taskQueue } = config.temporal;

  const stage = {
    ...service,
    ...people,
    processes,
    trafficLog,
    taskQueue,
    temporal,
    models: await connect(),

    /** After a restore, whose primary is older than the one that the connection knows. */
    async reconnect(): Promise<void> {
      await stage.models.connection.close();
      stage.models = await connect();
    },

    /** Does something while everybody sells, claims, refunds, decides and reads. */
    async underTraffic(level: TrafficLevel, work: () => Promise<void>): Promise<void> {
      const stop = startTraffic(stage, trafficLog, level);
      await work();
      await stop();
    },

    /** @param noted all that must be there; by default everything */
    check: (noted: TrafficLog = trafficLog): Promise<Proof> =>
      checkService(
        { baseUrl, models: stage.models, temporal, taskQueue, ...auditDeps(config) },
        noted,
      ),
  };
  return stage;
}

/** `--only`, with which a proof does only some of what it can do, by name. */
export function onlyOption(known: Record<string, unknown>): Option {
  const names = Object.keys(known);
  return new Option('--only <names>', 'only these, separated by commas')
    .default(names, 'all')
    .argParser((text) => {
      const wanted = text.split(',');
      if (wanted.every((one) => names.includes(one))) return wanted;
      throw new InvalidArgumentError(`Known ones: ${names.join(', ')}.`);
    });
}

/** What a proof found, and the page that says so. */
export interface ProofFindings {
  /** Markdown: what was done. */
  intro: string;
  trafficLog: TrafficLog;
  columns: readonly string[];
  rows: string[][];
  /** Markdown: what the table means and what was checked. */
  outro: string;
  faults: string[];
}

/** Adds the option of every proof, and runs it in a data folder of its own; ends the process. */
export async function runProof(
  name: string,
  reportFile: string | undefined,
  prove: (options: ServerOptions) => Promise<ProofFindings>,
): Promise<never> {
  const work = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), `prove-${name}-`));
    const found = await prove(serverOptions(dataDir, log));
    const faults = [...found.faults, ...missingTraffic(found.trafficLog)];
    for (const fault of faults) log(`  ${fault}`);
    log(trafficIn(found.trafficLog));
    if (reportFile) await writeFile(reportFile, reportOf({ ...found, faults }));
    await stopAllProcesses();
    if (faults.length > 0) log(`The data is kept in ${dataDir}.`);
    else await rm(dataDir, { recursive: true, force: true });
    return faults.length;
  };
  const faults = await runUntilShutdown(shutdownRequested(), work, 130);
  log(faults === 0 ? 'Nothing was lost.' : `${faults} FAULTS`);
  return await shutDown(faults === 0 ? 0 : 1);
}

function reportOf({ intro, trafficLog, columns, rows, outro, faults }: ProofFindings): string {
  const result = faults.length === 0 ? 'Nothing was lost.' : faults.map((one) => `- ${one}`);
  return `${intro.trim()}

Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} shared cores: ${trafficIn(trafficLog)}.

${markdownTable(columns, rows)}

${outro.trim()}

${[result].flat().join('\n')}
`;
}

/** How much happened, in words. */
function trafficIn({ sent, claimed, decided, webhooks, pages }: TrafficLog): string {
  const count = (kind: string) => sent.filter((one) => one.kind === kind).length;
  const repeated = [...webhooks.arrived.values()].filter((times) => times > 1).length;
  return [
    `${count('purchases')} purchases`,
    `${count('refunds')} refunds`,
    `${claimed.size} claims`,
    `${decided.size} decisions`,
    `${webhooks.arrived.size} webhooks (${repeated} of them more than once)`,
    `${pages.shown} pages (and ${pages.away} that got a 503 or no response)`,
  ].join(', ');
}
