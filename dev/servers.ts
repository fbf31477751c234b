import { setTimeout as delay } from 'node:timers/promises';
import { isStopping, type ManagedProcess } from './managed-process.ts';
import { startMongo } from './servers/mongo.ts';
import { userCacheDir } from './servers/sources.ts';
import { startTemporal } from './servers/temporal.ts';

/**
 * The servers for development and tests: MongoDB and Temporal, found or fetched, and run.
 * `startMongo` and `startTemporal` start one of them, for who wants to stop and start it again with
 * the same port and data.
 */
export { startMongo, startTemporal, userCacheDir };

export interface ServersOptions {
  dataDir: string;
  /** `MONGODB_URI` and `TEMPORAL_ADDRESS` name servers that run already; the ports may be asked for. */
  env: NodeJS.ProcessEnv;
  /** 0 for any free port; without them the usual ones, or the next free. */
  ports?: { mongodb: number; temporal: number; temporalUi: number };
  /** Whether Temporal steps back when the machine is busy, behind what answers. */
  answersFirst?: boolean;
  /** What Temporal is told besides: a name and a value of its dynamic configuration each. */
  temporalSettings?: readonly string[];
  /** What mongod is told besides. */
  mongodOptions?: readonly string[];
  log: (line: string) => void;
}

export interface RunningServers {
  mongodbUri: string;
  temporalAddress: string;
  temporalUi: string;
  /** Of the servers that were started here, and run now. */
  pids(): { mongod?: number; temporal?: number };
  /** Resolves, with a sentence, when a server that was started here ended and does not come up again. */
  lost: Promise<string>;
  /** Stops Temporal, then MongoDB. Safe to call again. */
  stop(): Promise<void>;
}

/** A server that ends by itself is started again after this. */
const restartDelayMs = 1_000;

/**
 * Starts what the environment does not name already, and starts it again, on its port and its data,
 * whenever it ends by itself.
 * @throws Error when one cannot be had; the other is stopped then
 */
export async function startServers(wish: ServersOptions): Promise<RunningServers> {
  const { dataDir, env, log } = wish;
  const isBackground = wish.answersFirst ?? false;
  const common = { dataDir, env, log, cacheDir: userCacheDir(env), isBackground };
  const [mongoStart, temporalStart] = await Promise.allSettled([
    env.MONGODB_URI
      ? undefined
      : startMongo({
          ...common,
          mongodOptions: wish.mongodOptions ?? [],
          ...(wish.ports && { port: wish.ports.mongodb }),
        }),
    env.TEMPORAL_ADDRESS
      ? undefined
      : startTemporal({
          ...common,
          settings: wish.temporalSettings ?? [],
          ...(wish.ports && { port: wish.ports.temporal, uiPort: wish.ports.temporalUi }),
        }),
  ]);
  if (mongoStart.status === 'rejected' || temporalStart.status === 'rejected') {
    for (const one of [temporalStart, mongoStart]) {
      if (one.status === 'fulfilled') await one.value?.stop();
    }
    throw [mongoStart, temporalStart].find((one) => one.status === 'rejected')?.reason;
  }
  const [firstMongo, firstTemporal] = [mongoStart.value, temporalStart.value];
  // A port that is named is never swapped for the next free one: the service knows only the first.
  const at = (ports: NodeJS.ProcessEnv) => ({ ...common, env: { ...env, ...ports } });
  const mongo =
    firstMongo &&
    keepUp('MongoDB', firstMongo, log, () =>
      startMongo(at({ MONGODB_PORT: String(firstMongo.port) })),
    );
  const temporal =
    firstTemporal &&
    keepUp('Temporal', firstTemporal, log, () => {
      const { port, uiPort } = firstTemporal;
      return startTemporal(at({ TEMPORAL_PORT: String(port), TEMPORAL_UI_PORT: String(uiPort) }));
    });
  return {
    mongodbUri: firstMongo?.uri ?? env.MONGODB_URI ?? '',
    temporalAddress: firstTemporal?.address ?? env.TEMPORAL_ADDRESS ?? '',
    temporalUi: firstTemporal?.uiUrl ?? env.TEMPORAL_UI_URL ?? 'http://127.0.0.1:8233',
    pids: () => ({
      ...(mongo && { mongod: mongo.pid() }),
      ...(temporal && { temporal: temporal.pid() }),
    }),
    lost: Promise.race([mongo?.lost ?? never(), temporal?.lost ?? never()]),
    async stop() {
      await temporal?.stop();
      await mongo?.stop();
    },
  };
}

function keepUp<Server extends ManagedProcess>(
  name: string,
  first: Server,
  log: (line: string) => void,
  startAgain: () => Promise<Server>,
) {
  let current = first;
  let isStopped = false;
  const lost = new Promise<string>((resolve) => {
    const watch = async (): Promise<void> => {
      const code = await current.exited;
      await delay(restartDelayMs, undefined, { ref: false });
      if (isStopped || isStopping()) return;
      log(`${name} ended (exit code ${code}); starting it again.`);
      current = await startAgain();
      await watch();
    };
    watch().catch((error: unknown) => {
      if (!isStopped && !isStopping()) resolve(`${name} did not come up again: ${String(error)}`);
    });
  });
  return {
    lost,
    pid: () => current.pid,
    async stop() {
      isStopped = true;
      await current.stop();
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
