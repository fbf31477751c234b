import { join } from 'node:path';
import { workerCommand } from '../../worker/command.ts';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { type ManagedProcess, startProcess } from '../managed-process.ts';
import { choosePort } from '../servers/ports.ts';
import { startMongo, startTemporal, userCacheDir } from '../servers.ts';
import { awaitReady } from '../start/await-ready.ts';
import { loadLocalKeys } from '../start/keys.ts';

export const processNames = ['API', 'portal', 'worker', 'MongoDB', 'Temporal'] as const;
export type ProcessName = (typeof processNames)[number];

const graceMs = 25_000;

export type ServiceProcesses = Awaited<ReturnType<typeof prepareProcesses>>;

/**
 * The whole service as separate processes that can be killed, with their own data and ports.
 * @param logDir for the logs of API, portal and worker
 */
export async function prepareProcesses(
  dataDir: string,
  log: (line: string) => void,
  logDir = dataDir,
) {
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...inherited } = process.env;
  const options = { dataDir, env: inherited, log, cacheDir: userCacheDir(inherited) };
  const mongo = await startMongo({ ...options, port: 0 });
  const temporal = await startTemporal({ ...options, port: 0, uiPort: 0 });
  const uiPort = Number(new URL(temporal.uiUrl).port);
  const apiPort = await choosePort(
    { variable: 'PORT', what: 'the API', preferredPort: 0 },
    {},
    log,
  );
  const adminPort = await choosePort(
    { variable: 'ADMIN_PORT', what: 'the operators’ API', preferredPort: 0 },
    {},
    log,
  );
  const portalPort = await choosePort(
    { variable: 'PORTAL_PORT', what: 'the portal', preferredPort: 0 },
    {},
    log,
  );
  const outboxDir = join(dataDir, 'outbox');
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    ...(await loadLocalKeys(join(dataDir, 'keys.json'))),
    MONGODB_URI: mongo.uri,
    TEMPORAL_ADDRESS: temporal.address,
    OUTBOX_DIR: outboxDir,
    PORT: String(apiPort),
    ADMIN_PORT: String(adminPort),
    PORTAL_PORT: String(portalPort),
    // The proof has only one operator.
    FOUR_EYES: 'off',
    // The partners' endpoints are on this machine.
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    LOG_LEVEL: 'warn',
    WORKFLOW_BUNDLE: await bundleWorkflows(),
  };
  const running = new Map<ProcessName, ManagedProcess>([
    ['MongoDB', mongo],
    ['Temporal', temporal],
  ]);
  const baseUrl = `http://127.0.0.1:${apiPort}`;
  const adminUrl = `http://127.0.0.1:${adminPort}/admin/v1`;
  /** Waits until they respond; work that waits for Temporal may be unfinished. */
  const answering = async () => {
    await awaitReady(`${baseUrl}/readyz`);
    await awaitReady(`http://127.0.0.1:${portalPort}/readyz`);
  };

  const runNode = (args: string[], name: string): Promise<ManagedProcess> =>
    startProcess({
      command: process.execPath,
      args,
      env,
      graceMs,
      logFile: join(logDir, `${name}-${Date.now()}.log`),
    });
  const quietly = { ...options, log: () => undefined };
  const starts: Record<ProcessName, () => Promise<ManagedProcess>> = {
    MongoDB: () => startMongo({ ...quietly, port: mongo.port }),
    Temporal: () => startTemporal({ ...quietly, port: temporal.port, uiPort }),
    worker: () => runNode(workerCommand, 'worker'),
    API: () => runNode(['api/server.ts'], 'api'),
    portal: () => runNode(['portal/server.ts'], 'portal'),
  };

  const startAgain = async (victims: readonly ProcessName[]): Promise<void> => {
    for (const part of processNames.toReversed()) {
      if (victims.includes(part)) running.set(part, await starts[part]());
    }
  };

  return {
    env,
    baseUrl,
    adminUrl,
    outboxDir,

    async startService(): Promise<void> {
      running.set('worker', await starts.worker());
      running.set('API', await starts.API());
      running.set('portal', await starts.portal());
      await answering();
      await awaitReady(`${baseUrl}/statusz`);
    },

    /** Resolves once one of them has exited for any reason. */
    ended: (part: ProcessName): Promise<number> => running.get(part)?.exited ?? Promise.resolve(0),

    /** Kills these at once with SIGKILL. */
    async kill(victims: readonly ProcessName[]): Promise<void> {
      const killed = victims.flatMap((part) => running.get(part) ?? []);
      for (const { pid } of killed) process.kill(pid, 'SIGKILL');
      await Promise.all(killed.map(({ exited }) => exited));
    },

    /** Restarts killed processes, servers first. */
    async revive(victims: readonly ProcessName[]): Promise<void> {
      await startAgain(victims);
      await answering();
    },
    /** The same, without waiting for responses. */
    startAgain,
  };
}
