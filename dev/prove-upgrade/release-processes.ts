import { workerCommand } from '../../worker/command.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { startBalancer } from '../prove-failover/balancer.ts';
import { createProcessStarter } from '../prove-failover/process-starter.ts';
import type { ServerOptions } from '../servers/mongo.ts';
import { awaitReady } from '../start/await-ready.ts';
import type { Release } from './release.ts';

interface ReleasePorts {
  api: number[];
  admin: number[];
  portal: number;
}

/** The workers' `WORKFLOW_PATCHES`; older releases ignore it. */
type PatchMode = 'held' | 'active';

interface RunningRelease {
  faces: ManagedProcess[];
  workers: ManagedProcess[];
}

export type ReleaseProcesses = Awaited<ReturnType<typeof prepareReleases>>;

/**
 * Two releases on the same servers, each with two APIs, two workers and a portal, behind balancers that know
 * all of them.
 */
export async function prepareReleases(
  options: ServerOptions,
  servers: { mongodbUri: string; temporalAddress: string },
  releases: readonly Release[],
) {
  const { env, outboxDir, freePort, runNode } = await createProcessStarter(options, servers);
  const all: ReleasePorts[] = [];
  for (const _ of releases) {
    const [api, admin]: [number[], number[]] = [[], []];
    for (const _ of [1, 2]) {
      api.push(await freePort('the API'));
      admin.push(await freePort('the operators’ API'));
    }
    all.push({ api, admin, portal: await freePort('the portal') });
  }
  const balance = async (ports: readonly number[]) =>
    `http://127.0.0.1:${await startBalancer(ports)}`;
  const baseUrl = await balance(all.flatMap(({ api }) => api));
  const adminUrl = `${await balance(all.flatMap(({ admin }) => admin))}/admin/v1`;
  env.PORTAL_URL = await balance(all.map(({ portal }) => portal));
  // The partners' receivers are on this machine.
  env.WEBHOOK_ALLOW_LOOPBACK = 'on';

  const running = new Map<Release, RunningRelease>();
  /** All workers so far, by process id, with which their identities start. */
  const releaseOfPid = new Map<number, Release>();
  /** Workers that hold patches. */
  const held = new Set<number>();
  const portsOf = (release: Release): ReleasePorts => {
    const ports = all[releases.indexOf(release)];
    if (!ports) throw new Error(`${release.name} was not set up`);
    return ports;
  };

  async function startWorkers(release: Release, patches: PatchMode): Promise<ManagedProcess[]> {
    const own = { WORKFLOW_BUNDLE: release.bundle, WORKFLOW_PATCHES: patches };
    const started: ManagedProcess[] = [];
    for (const _ of [1, 2]) {
      const worker = await runNode(workerCommand, 'worker', own, release.folder);
      releaseOfPid.set(worker.pid, release);
      if (patches === 'held') held.add(worker.pid);
      started.push(worker);
    }
    return started;
  }

  async function startFaces({ folder }: Release, { api, admin, portal }: ReleasePorts) {
    const faces: ManagedProcess[] = [];
    for (const [at, port] of api.entries()) {
      const own = { PORT: String(port), ADMIN_PORT: String(admin[at]) };
      faces.push(await runNode(['api/server.ts'], 'api', own, folder));
    }
    const own = { PORTAL_PORT: String(portal) };
    faces.push(await runNode(['portal/server.ts'], 'portal', own, folder));
    for (const port of [...api, portal]) await awaitReady(`http://127.0.0.1:${port}/readyz`);
    return faces;
  }

  return {
    env,
    baseUrl,
    adminUrl,
    portalUrl: env.PORTAL_URL,
    outboxDir,

    /** Starts the workers first, as in docs/running.md; resolves once the API responds. */
    async start(release: Release, patches: PatchMode): Promise<void> {
      const ports = portsOf(release);
      const workers = await startWorkers(release, patches);
      running.set(release, { workers, faces: await startFaces(release, ports) });
      await awaitReady(`http://127.0.0.1:${ports.api[0]}/statusz`);
    },

    /** Replaces the workers of a release by ones with active patches. */
    async activatePatches(release: Release): Promise<void> {
      const { workers, faces } = running.get(release) ?? { workers: [], faces: [] };
      running.set(release, { workers: await startWorkers(release, 'active'), faces });
      for (const one of workers) await one.stop();
    },

    /** Stops the processes one after the other. */
    async stop(release: Release): Promise<void> {
      const { workers, faces } = running.get(release) ?? { workers: [], faces: [] };
      for (const one of [...workers, ...faces]) await one.stop();
    },

    /** @param identity of a worker in a history: process id, @, host */
    releaseOf: (identity: string): Release | undefined => releaseOfPid.get(pidIn(identity)),
    isHeld: (identity: string): boolean => held.has(pidIn(identity)),
  };
}

const pidIn = (identity: string): number => Number(identity.split('@')[0]);
