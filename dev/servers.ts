import { startMongo } from './servers/mongo.ts';
import { userCacheDir } from './servers/sources.ts';
import { startTemporal } from './servers/temporal.ts';

/**
 * The servers for development and tests: MongoDB and Temporal, found or fetched, and run.
 * `startMongo` and `startTemporal` start one of them, for who wants to stop and start it again with
 * the same port and data.
 */
export { startMongo, startTemporal, userCacheDir };

export interface ServersWish {
  dataDir: string;
  /** `MONGODB_URI` and `TEMPORAL_ADDRESS` name servers that run already; the ports may be asked for. */
  env: NodeJS.ProcessEnv;
  /** 0 for any free port; without them the usual ones, or the next free. */
  ports?: { mongodb: number; temporal: number; temporalUi: number };
  log: (line: string) => void;
}

export interface RunningServers {
  mongodbUri: string;
  temporalAddress: string;
  temporalUi: string;
  /** Of the servers that were started here. */
  pids: { mongod?: number; temporal?: number };
  /** Resolves, with a sentence, when a server that was started here ends by itself. */
  lost: Promise<string>;
  /** Stops Temporal, then MongoDB. Safe to call again. */
  stop(): Promise<void>;
}

/**
 * Starts what the environment does not name already.
 * @throws Error when one cannot be had; the other is stopped then
 */
export async function startServers(wish: ServersWish): Promise<RunningServers> {
  const { dataDir, env, log } = wish;
  const common = { dataDir, env, log, cacheDir: userCacheDir(env) };
  const mongo = env.MONGODB_URI
    ? undefined
    : await startMongo({ ...common, ...(wish.ports && { port: wish.ports.mongodb }) });
  const temporal = env.TEMPORAL_ADDRESS
    ? undefined
    : await startTemporal({
        ...common,
        ...(wish.ports && { port: wish.ports.temporal, uiPort: wish.ports.temporalUi }),
      }).catch(async (error: unknown) => {
        await mongo?.stop();
        throw error;
      });
  return {
    mongodbUri: mongo?.uri ?? env.MONGODB_URI ?? '',
    temporalAddress: temporal?.address ?? env.TEMPORAL_ADDRESS ?? '',
    temporalUi: temporal?.uiUrl ?? env.TEMPORAL_UI_URL ?? 'http://127.0.0.1:8233',
    pids: { ...(mongo && { mongod: mongo.pid }), ...(temporal && { temporal: temporal.pid }) },
    lost: Promise.race([
      mongo ? mongo.exited.then((code) => `mongod ended (exit code ${code})`) : never(),
      temporal ? temporal.exited.then((code) => `temporal ended (exit code ${code})`) : never(),
    ]),
    async stop() {
      await temporal?.stop();
      await mongo?.stop();
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
