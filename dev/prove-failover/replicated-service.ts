import { fileURLToPath } from 'node:url';
import { workerCommand } from '../../worker/command.ts';
import { bundleWorkflows } from '../bundle-workflows.ts';
import type { ManagedProcess } from '../managed-process.ts';
import type { ServerOptions } from '../servers/mongo.ts';
import { startTemporal, userCacheDir } from '../servers.ts';
import type { SmallDisk } from '../small-disk.ts';
import { awaitReady } from '../start/await-ready.ts';
import { startBalancer } from './balancer.ts';
import { createProcessStarter } from './process-starter.ts';
import { startThreeMembers } from './three-members.ts';

const clockAhead = fileURLToPath(new URL('clock-ahead.mjs', import.meta.url));

/** Options for servers in `dataDir` that ignore servers named in the environment. */
export function serverOptions(dataDir: string, log: (line: string) => void): ServerOptions {
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  return { dataDir, env, log, cacheDir: userCacheDir(env) };
}

export type ReplicatedService = Awaited<ReturnType<typeof prepareReplicatedService>>;

/**
 * The service on a replica set of three.
 * @param disks the members' disks, if they must be small enough to fill
 */
export async function prepareReplicatedService(
  dataDir: string,
  log: (line: string) => void,
  disks?: SmallDisk[],
) {
  const options = serverOptions(dataDir, log);
  const mongo = await startThreeMembers(options, disks);
  const temporal = await startTemporal({ ...options, port: 0, uiPort: 0 });
  return {
    log,
    mongo,
    ...(await prepareServiceProcesses(options, {
      mongodbUri: mongo.uri,
      temporalAddress: temporal.address,
    })),
  };
}

/** Two APIs behind a balancer, two workers and a portal, each in its own process. */
export async function prepareServiceProcesses(
  options: ServerOptions,
  servers: { mongodbUri: string; temporalAddress: string },
) {
  const { env, outboxDir, freePort, runNode, stopAll } = await createProcessStarter(
    options,
    servers,
  );
  const [apiPorts, adminPorts]: [number[], number[]] = [[], []];
  for (const _ of [1, 2]) {
    apiPorts.push(await freePort('the API'));
    adminPorts.push(await freePort('the operators’ API'));
  }
  const portalPort = await freePort('the portal');
  env.PORTAL_PORT = String(portalPort);
  env.WORKFLOW_BUNDLE = await bundleWorkflows();
  // The partners' receivers are on this machine.
  env.WEBHOOK_ALLOW_LOOPBACK = 'on';
  const startApi = (at: number, flags: string[] = []) =>
    runNode([...flags, 'api/server.ts'], 'api', {
      PORT: String(apiPorts[at]),
      ADMIN_PORT: String(adminPorts[at]),
    });
  const startWorker = (flags: string[] = []) => runNode([...flags, ...workerCommand], 'worker', {});
  /** The second API and worker, beside those with the right clock. */
  let seconds: ManagedProcess[] = [];
  const startSeconds = async (flags: string[] = []) => {
    seconds = [await startApi(1, flags), await startWorker(flags)];
    await awaitReady(`http://127.0.0.1:${apiPorts[1]}/readyz`);
  };
  const baseUrl = `http://127.0.0.1:${await startBalancer(apiPorts)}`;
  const adminUrl = `http://127.0.0.1:${await startBalancer(adminPorts)}/admin/v1`;

  return {
    env,
    baseUrl,
    adminUrl,
    portalUrl: `http://127.0.0.1:${portalPort}`,
    outboxDir,

    async startService(): Promise<void> {
      await startApi(0);
      await startWorker();
      await runNode(['portal/server.ts'], 'portal', {});
      await startSeconds();
      await awaitReady(`http://127.0.0.1:${apiPorts[0]}/statusz`);
      await awaitReady(`http://127.0.0.1:${portalPort}/readyz`);
    },

    stopService: stopAll,

    /** Stops one API and one worker in order, and restarts them with the clock a minute ahead. */
    async putClockAhead(): Promise<void> {
      await Promise.all(seconds.map((one) => one.stop()));
      await startSeconds(['--import', clockAhead]);
    },
    async putClockRight(): Promise<void> {
      await Promise.all(seconds.map((one) => one.stop()));
      await startSeconds();
    },
  };
}
