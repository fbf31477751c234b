import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ManagedProcess, startProcess } from '../../dev/managed-process.ts';
import type { ServerOptions } from '../../dev/servers/mongo.ts';
import { choosePort } from '../../dev/servers/ports.ts';
import { startMongo, startTemporal, userCacheDir } from '../../dev/servers.ts';
import { awaitReady } from '../../dev/start/await-ready.ts';
import { loadLocalKeys } from '../../dev/start/keys.ts';
import { workerCommand } from '../../worker/command.ts';
import { startBalancer } from './network.ts';

/** A version of the service's code. */
export interface Release {
  /** For display: a tag, or a short commit hash. */
  name: string;
  /** The project's folder, with dependencies installed. */
  folder: string;
  /** Its workflow bundle, built with its own code. */
  bundle: string;
}

/** The Node that a release brings; on macOS this one. */
export function nodeOf({ folder }: Pick<Release, 'folder'>): string {
  const own = join(folder, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

/** How a process is started, and the URL that responds once it works. */
interface Recipe {
  start(flags: readonly string[]): Promise<ManagedProcess>;
  readyUrl?: string | undefined;
}

const graceMs = 25_000;
export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

export type Processes = ReturnType<typeof createProcesses>;

/** Processes by name, which can be killed, frozen and started again. */
export function createProcesses() {
  const recipes = new Map<string, Recipe>();
  const running = new Map<string, ManagedProcess>();
  const signal = (names: readonly string[], what: NodeJS.Signals) => {
    for (const { pid } of named(names)) process.kill(pid, what);
  };
  const named = (names: readonly string[]) => names.flatMap((name) => running.get(name) ?? []);

  return {
    /** @param started if it runs already */
    add(name: string, recipe: Recipe, started?: ManagedProcess): void {
      recipes.set(name, recipe);
      if (started) running.set(name, started);
    },

    isRunning: (name: string): boolean => running.has(name),

    /** Starts them in this order, and waits until everything that runs responds. */
    async start(names: readonly string[], flags: readonly string[] = []): Promise<void> {
      for (const name of names) {
        const recipe = recipes.get(name);
        if (!recipe) throw new Error(`there is no process "${name}"`);
        running.set(name, await recipe.start(flags));
      }
      for (const [name, { readyUrl }] of recipes) {
        if (readyUrl !== undefined && running.has(name)) await awaitReady(readyUrl);
      }
    },

    /** Stops them in order, one after the other. */
    async stop(names: readonly string[]): Promise<void> {
      for (const name of names) {
        await running.get(name)?.stop();
        running.delete(name);
      }
    },

    /** Kills them at once with SIGKILL. */
    async kill(names: readonly string[]): Promise<void> {
      signal(names, 'SIGKILL');
      await Promise.all(named(names).map(({ exited }) => exited));
      for (const name of names) running.delete(name);
    },

    freeze: (names: readonly string[]) => signal(names, 'SIGSTOP'),
    thaw: (names: readonly string[]) => signal(names, 'SIGCONT'),
  };
}

/** Options for servers in `dataDir` that ignore servers named in the environment. */
export function serverOptions(dataDir: string, log: (line: string) => void): ServerOptions {
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  return { dataDir, env, log, cacheDir: userCacheDir(env) };
}

/** Starts a MongoDB of one member. @returns its URI */
export async function addMongo(processes: Processes, options: ServerOptions): Promise<string> {
  const mongo = await startMongo({ ...options, port: 0 });
  const again = { ...options, log: () => undefined, port: mongo.port };
  processes.add('MongoDB', { start: () => startMongo(again) }, mongo);
  return mongo.uri;
}

/** @returns its address */
export async function addTemporal(processes: Processes, options: ServerOptions): Promise<string> {
  const temporal = await startTemporal({ ...options, port: 0, uiPort: 0 });
  const { address, port, uiPort } = temporal;
  const again = { ...options, log: () => undefined, port, uiPort };
  processes.add('Temporal', { start: () => startTemporal(again) }, temporal);
  return address;
}

/** The names of a release's processes, in the order in which they are started. */
interface Parts {
  workers: string[];
  faces: string[];
}

export type ServiceProcesses = Awaited<ReturnType<typeof addService>>;

/**
 * The service's processes, not yet started: APIs behind a load balancer, workers and a portal, of one release
 * or of several on the same data. One of each is called `API`, two are `API 1` and `API 2`; with several
 * releases the name of the release stands before.
 */
export async function addService(
  processes: Processes,
  { dataDir, env: inherited, log }: ServerOptions,
  servers: { mongodbUri: string; temporalAddress: string },
  { copies, releases }: { copies: number; releases: readonly Release[] },
) {
  const freePort = () =>
    choosePort({ variable: 'PORT', what: 'the service', preferredPort: 0 }, {}, log);
  const messageDir = join(dataDir, 'messages');
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    ...(await loadLocalKeys(join(dataDir, 'keys.json'))),
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    MESSAGE_DIR: messageDir,
    // The proof has only one operator.
    FOUR_EYES: 'off',
    // The partners' endpoints are on this machine.
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    LOG_LEVEL: inherited.LOG_LEVEL ?? 'warn',
  };
  const ports: Record<'api' | 'admin' | 'portal', number[]> = { api: [], admin: [], portal: [] };
  const metricsPorts: Record<'api' | 'worker' | 'portal', number[]> = {
    api: [],
    worker: [],
    portal: [],
  };
  const measured = async (kind: keyof typeof metricsPorts) => {
    const port = await freePort();
    metricsPorts[kind].push(port);
    return { METRICS_PORT: String(port) };
  };
  const partsOf = new Map<Release, Parts>();
  const releaseOfPid = new Map<number, Release>();
  let logs = 0;

  const add = (release: Release, name: string, args: string[], own: NodeJS.ProcessEnv) => {
    const port = own.PORT ?? own.PORTAL_PORT;
    processes.add(name, {
      async start(flags) {
        const started = await startProcess({
          command: nodeOf(release),
          args: [...flags, ...args],
          env: { ...env, ...own },
          cwd: release.folder,
          graceMs,
          logFile: join(dataDir, `${name.replaceAll(' ', '-')}-${logs++}.log`),
        });
        releaseOfPid.set(started.pid, release);
        return started;
      },
      readyUrl: port === undefined ? undefined : `http://127.0.0.1:${port}/readyz`,
    });
    return name;
  };

  for (const release of releases) {
    const of = releases.length > 1 ? `${release.name} ` : '';
    const parts: Parts = { workers: [], faces: [] };
    for (let copy = 1; copy <= copies; copy++) {
      const nth = copies > 1 ? ` ${copy}` : '';
      const own = { WORKFLOW_BUNDLE: release.bundle, ...(await measured('worker')) };
      parts.workers.push(add(release, `${of}worker${nth}`, workerCommand, own));
      const [port, adminPort] = [await freePort(), await freePort()];
      ports.api.push(port);
      ports.admin.push(adminPort);
      const api = {
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        ...(await measured('api')),
      };
      parts.faces.push(add(release, `${of}API${nth}`, ['api/server.ts'], api));
    }
    const portalPort = await freePort();
    ports.portal.push(portalPort);
    const portal = { PORTAL_PORT: String(portalPort), ...(await measured('portal')) };
    parts.faces.push(add(release, `${of}portal`, ['portal/server.ts'], portal));
    partsOf.set(release, parts);
  }
  const balanced = async (all: readonly number[]) =>
    `http://127.0.0.1:${all.length === 1 ? all[0] : await startBalancer(all)}`;
  const baseUrl = await balanced(ports.api);
  env.PORTAL_URL = await balanced(ports.portal);

  const namesOf = (release: Release): string[] => {
    const { workers = [], faces = [] } = partsOf.get(release) ?? {};
    return [...workers, ...faces];
  };
  return {
    env,
    baseUrl,
    adminUrl: `${await balanced(ports.admin)}/admin/v1`,
    portalUrl: env.PORTAL_URL,
    messageDir,
    metricsPorts,

    /** Starts the workers first, as docs/operate/install.md says; resolves once everything responds. */
    start: (release: Release) => processes.start(namesOf(release)),
    stop: (release: Release) => processes.stop(namesOf(release)),
    /** @param identity of a worker in a history: process id, @, host */
    releaseOf: (identity: string) => releaseOfPid.get(Number(identity.split('@')[0])),
  };
}
