import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createCheckpoints } from '../../audit/checkpoints.ts';
import { runAudit } from '../../audit/run.ts';
import { bundleWorkflows } from '../../dev/bundle-workflows.ts';
import { type ManagedProcess, startProcess } from '../../dev/managed-process.ts';
import { choosePort } from '../../dev/servers/ports.ts';
import { awaitReady } from '../../dev/start/await-ready.ts';
import { loadLocalKeys } from '../../dev/start/keys.ts';
import { startThrowawayServers } from '../../dev/throwaway-servers.ts';
import { createCommit } from '../../models/commit.ts';
import { ledgerKey } from '../../models/ledger/index.ts';
import { buildIndexes, createModels } from '../../models/schemas/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer } from '../../platform/sealing.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { ensureSchedules } from '../../temporal/schedules.ts';
import { workerCommand } from '../../worker/command.ts';

/** More than any generator sends: the rate limits are not measured. */
const unlimited = 100_000_000;
const graceMs = 25_000;
const pollMs = 250;
const joinPatienceMs = 180_000;
/** Temporal's enum value for task queues of workflow tasks. */
const workflowQueue = 1;

export type MeasuredService = Awaited<ReturnType<typeof prepareBenchService>>;

/** The servers and processes of `npm start`, with its priorities and fresh data. */
export async function prepareBenchService(dataDir: string, log: (line: string) => void) {
  const passing = await startThrowawayServers({ dataDir, log, answersFirst: true });
  const { servers } = passing;
  const freePort = (what: string) =>
    choosePort({ variable: 'PORT', what, preferredPort: 0 }, {}, log);
  const portalPort = await freePort('the portal');
  const env: NodeJS.ProcessEnv = {
    ...passing.env,
    ...(await loadLocalKeys(join(dataDir, 'keys.json'))),
    MESSAGE_DIR: join(dataDir, 'messages'),
    PORT: '0',
    PORTAL_PORT: String(portalPort),
    ADMIN_PORT: '0',
    ADDRESS_RATE_LIMIT_PER_MINUTE: String(unlimited),
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    WORKFLOW_BUNDLE: await bundleWorkflows(),
  };
  const config = loadConfig(env);
  const temporal = connectTemporal(config.temporal);
  await ensureSchedules(temporal, config.temporal.taskQueue);
  const models = createModels(await connectMongo(config.mongodbUri));
  await buildIndexes(models);
  const hashKey = ledgerKey(config.customerHashKey);
  const deps = {
    models,
    config,
    hashKey,
    commit: createCommit({ models, hashKey, now: Date.now }),
    sealer: createSealer(config.masterKeys),
    now: Date.now,
  };
  const processes = new Map<string, ManagedProcess>();

  async function run(name: string, args: string[], { port = 0, isBackground = false } = {}) {
    const started = await startProcess({
      command: process.execPath,
      args,
      env: { ...env, PORT: String(port) },
      graceMs,
      isBackground,
      logFile: join(dataDir, `${name}.log`),
    });
    processes.set(name, started);
  }

  return {
    deps,
    temporal,
    portalUrl: `http://127.0.0.1:${portalPort}`,

    /** Starts a process of the API and waits until it is ready. @returns its URL */
    async startApi(name = 'API'): Promise<string> {
      const port = await freePort('the API');
      await run(name, ['api/server.ts'], { port });
      await awaitReady(`http://127.0.0.1:${port}/readyz`);
      return `http://127.0.0.1:${port}`;
    },

    async startPortal(): Promise<void> {
      await run('portal', ['portal/server.ts']);
      await awaitReady(`http://127.0.0.1:${portalPort}/readyz`);
    },

    /** Starts a worker and waits until it polls. */
    async startWorker(name = 'worker'): Promise<void> {
      await run(name, workerCommand, { isBackground: true });
      await awaitPoller(temporal, config.temporal, processes.get(name)?.pid ?? 0);
    },

    async stop(name: string): Promise<void> {
      await processes.get(name)?.stop();
      processes.delete(name);
    },

    /** The ids of all running processes, by name. */
    pids(): Record<string, number> {
      const { mongod, temporal: engine } = servers.pids();
      return {
        ...Object.fromEntries([...processes].map(([name, { pid }]) => [name, pid])),
        ...(mongod !== undefined && { MongoDB: mongod }),
        ...(engine !== undefined && { Temporal: engine }),
      };
    },

    /** What `npm run audit` does. */
    async audit(): Promise<{ summary: string; faults: number; lookedAt: number; seconds: number }> {
      const startMs = performance.now();
      const checkpoints = createCheckpoints(config.customerHashKey, async () => undefined);
      const { summary, faults, lookedAt } = await runAudit({ ...deps, checkpoints });
      return { summary, faults, lookedAt, seconds: (performance.now() - startMs) / 1_000 };
    },

    async close(): Promise<void> {
      await temporal.connection.close();
      await models.connection.close();
    },
  };
}

/** Waits until this process polls for workflow tasks. */
async function awaitPoller(
  { workflowService }: Client,
  { namespace, taskQueue }: { namespace: string; taskQueue: string },
  pid: number,
): Promise<void> {
  const deadlineMs = Date.now() + joinPatienceMs;
  for (;;) {
    const { pollers } = await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowQueue,
    });
    if (pollers?.some(({ identity }) => Number.parseInt(identity ?? '', 10) === pid)) return;
    if (Date.now() > deadlineMs) throw new Error(`the worker ${pid} does not poll`);
    await delay(pollMs);
  }
}
