import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createModels } from '../../../models/schemas/index.ts';
import { loadConfig } from '../../../platform/config.ts';
import { connectMongo } from '../../../platform/mongo.ts';
import { connectTemporal } from '../../../temporal/connection.ts';
import { ensureSchedules } from '../../../temporal/schedules.ts';
import { workerCommand } from '../../../worker/command.ts';
import { bundleWorkflows } from '../../bundle-workflows.ts';
import { type ManagedProcess, startProcess } from '../../managed-process.ts';
import { choosePort } from '../../servers/ports.ts';
import { awaitReady } from '../../start/await-ready.ts';
import { loadLocalKeys } from '../../start/keys.ts';
import { startThrowawayServers } from '../../throwaway-servers.ts';

/** More than any generator sends: the rate limits are not measured. */
const unlimited = 100_000_000;
const graceMs = 25_000;
const pollMs = 250;
const joinPatienceMs = 180_000;
/** Temporal's enum value for task queues of workflow tasks. */
const workflowQueue = 1;

export type MeasuredService = Awaited<ReturnType<typeof prepareMeasuredService>>;

/** The embedded servers with their own data, and the service's processes as in production. */
export async function prepareMeasuredService(dataDir: string, log: (line: string) => void) {
  const passing = await startThrowawayServers({ dataDir, log, answersFirst: true });
  const { servers } = passing;
  const wanted = { variable: 'PORT', what: 'the API', preferredPort: 0 };
  const apiPort = await choosePort(wanted, {}, log);
  const portal = { variable: 'PORTAL_PORT', what: 'the portal', preferredPort: 0 };
  const portalPort = await choosePort(portal, {}, log);
  const env: NodeJS.ProcessEnv = {
    ...passing.env,
    ...(await loadLocalKeys(join(dataDir, 'keys.json'))),
    OUTBOX_DIR: join(dataDir, 'outbox'),
    PORT: String(apiPort),
    PORTAL_PORT: String(portalPort),
    // Nobody uses the operators' API; any free port will do.
    ADMIN_PORT: '0',
    ADDRESS_RATE_LIMIT_PER_MINUTE: String(unlimited),
    WORKFLOW_BUNDLE: await bundleWorkflows(),
  };
  const config = loadConfig(env);
  const temporal = connectTemporal(config.temporal);
  await ensureSchedules(temporal, config.temporal.taskQueue);
  const models = createModels(await connectMongo(config.mongodbUri));
  const baseUrl = `http://127.0.0.1:${apiPort}`;
  const portalUrl = `http://127.0.0.1:${portalPort}`;

  const runNode = (args: string[], name: string): Promise<ManagedProcess> =>
    startProcess({
      isBackground: args === workerCommand,
      command: process.execPath,
      args,
      env,
      graceMs,
      logFile: join(dataDir, `${name}.log`),
    });
  const services = new Map<string, ManagedProcess>();
  const workerPids = () =>
    [...services].flatMap(([name, { pid }]) => (name.endsWith('worker') ? pid : []));

  return {
    config,
    baseUrl,
    /** For customers' claims. */
    portalUrl,
    models,
    temporal,

    /** Starts the API, the portal and a worker after preparing the database. */
    async startService(): Promise<void> {
      services.set('worker', await runNode(workerCommand, 'worker'));
      services.set('API', await runNode(['api/server.ts'], 'api'));
      services.set('portal', await runNode(['portal/server.ts'], 'portal'));
      await awaitReady(`${baseUrl}/statusz`);
      await awaitReady(`${portalUrl}/readyz`);
      await awaitWorkers(temporal, config.temporal, workerPids());
    },

    /** Restarts the worker with changed variables. */
    async restartWorker(changes: NodeJS.ProcessEnv): Promise<void> {
      await services.get('worker')?.stop();
      Object.assign(env, changes);
      services.set('worker', await runNode(workerCommand, 'worker'));
      await awaitWorkers(temporal, config.temporal, workerPids());
    },

    /** Restarts the API as well. */
    async restartBoth(changes: NodeJS.ProcessEnv): Promise<void> {
      await services.get('API')?.stop();
      await this.restartWorker(changes);
      services.set('API', await runNode(['api/server.ts'], 'api'));
      await awaitReady(`${baseUrl}/statusz`);
    },

    /** Starts another worker, and waits until it polls. @returns how to stop it */
    async addWorker(): Promise<() => Promise<void>> {
      const name = 'second worker';
      const second = await runNode(workerCommand, 'second-worker');
      services.set(name, second);
      await awaitWorkers(temporal, config.temporal, workerPids());
      return async () => {
        await second.stop();
        services.delete(name);
      };
    },

    /** The ids of all running processes, by name. */
    pids(): Record<string, number> {
      const { mongod, temporal: engine } = servers.pids();
      return {
        ...Object.fromEntries([...services].map(([name, { pid }]) => [name, pid])),
        ...(mongod !== undefined && { MongoDB: mongod }),
        ...(engine !== undefined && { Temporal: engine }),
      };
    },

    async close(): Promise<void> {
      await temporal.connection.close();
      await models.connection.close();
    },
  };
}

/** Waits until exactly these processes poll for workflow tasks; Temporal lists a stopped one for a while. */
async function awaitWorkers(
  { workflowService }: Client,
  { namespace, taskQueue }: { namespace: string; taskQueue: string },
  pids: readonly number[],
): Promise<void> {
  const deadlineMs = Date.now() + joinPatienceMs;
  for (;;) {
    const { pollers } = await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowQueue,
    });
    const polling = new Set(pollers?.map(({ identity }) => Number.parseInt(identity ?? '', 10)));
    if (pids.every((pid) => polling.has(pid))) return;
    if (Date.now() > deadlineMs) throw new Error(`the workers ${pids.join(', ')} do not poll`);
    await delay(pollMs);
  }
}
