import { setTimeout as delay } from 'node:timers/promises';
import { isStopping, type ManagedProcess } from './managed-process.ts';
import { startMongo } from './servers/mongo.ts';
import { userCacheDir } from './servers/programs.ts';
import { startTemporal } from './servers/temporal.ts';

/**
 * MongoDB and Temporal for development and tests. `startMongo` and `startTemporal` start one of them, for
 * callers that restart it with the same port and data.
 */
export { startMongo, startTemporal, userCacheDir };

export interface ServersOptions {
  dataDir: string;
  /** `MONGODB_URI` and `TEMPORAL_ADDRESS` name servers that already run; the port variables are optional. */
  env: NodeJS.ProcessEnv;
  /** 0 for any free port; by default the usual port, or the next free one. */
  ports?: { mongodb: number; temporal: number; temporalUi: number };
  /** Whether to lower Temporal's priority below that of request handling. */
  answersFirst?: boolean;
  /** Additional dynamic configuration, as pairs of a name and a value. */
  temporalSettings?: readonly string[];
  /** Additional arguments of mongod. */
  mongodOptions?: readonly string[];
  log: (line: string) => void;
}

export interface RunningServers {
  mongodbUri: string;
  temporalAddress: string;
  temporalUi: string;
  /** The servers started here and running now. */
  pids(): { mongod?: number; temporal?: number };
  /** Resolves with a message when a server started here has exited and cannot be restarted. */
  lost: Promise<string>;
  /** Stops Temporal, then MongoDB. Safe to call again. */
  stop(): Promise<void>;
}

/** The delay before an exited server is restarted. */
const restartDelayMs = 1_000;

/**
 * Starts the servers that the environment does not name, and restarts them with the same port and data
 * whenever they exit.
 * @throws Error if one cannot be started, after stopping the other
 */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const { dataDir, env, log } = options;
  const isBackground = options.answersFirst ?? false;
  const common = { dataDir, env, log, cacheDir: userCacheDir(env), isBackground };
  const [mongoStart, temporalStart] = await Promise.allSettled([
    env.MONGODB_URI
      ? undefined
      : startMongo({
          ...common,
          mongodOptions: options.mongodOptions ?? [],
          ...(options.ports && { port: options.ports.mongodb }),
        }),
    env.TEMPORAL_ADDRESS
      ? undefined
      : startTemporal({
          ...common,
          settings: options.temporalSettings ?? [],
          ...(options.ports && { port: options.ports.temporal, uiPort: options.ports.temporalUi }),
        }),
  ]);
  if (mongoStart.status === 'rejected' || temporalStart.status === 'rejected') {
    for (const one of [temporalStart, mongoStart]) {
      if (one.status === 'fulfilled') await one.value?.stop();
    }
    throw [mongoStart, temporalStart].find((one) => one.status === 'rejected')?.reason;
  }
  const [firstMongo, firstTemporal] = [mongoStart.value, temporalStart.value];
  // A restart never uses another port: the service only knows the first one.
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
      log(`${name} exited (code ${code}); restarting it.`);
      current = await startAgain();
      await watch();
    };
    watch().catch((error: unknown) => {
      if (!isStopped && !isStopping()) resolve(`${name} could not be restarted: ${String(error)}`);
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
