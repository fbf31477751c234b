import { setTimeout as delay } from 'node:timers/promises';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { unwrapMasterKeys } from './key-providers.ts';
import { createLogger, type Logger } from './logger.ts';
import { startTracing } from './tracing.ts';
import { filesChanged } from './watch-files.ts';

export interface Running {
  /** Settles if the process ends by itself; a rejection is the reason. */
  ended: Promise<unknown>;
  /**
   * Finishes what is in progress before the process exits. The client connection to Temporal is
   * left open: once closed, a call waiting for a retry would throw from its timer.
   */
  stop(): Promise<void>;
}

/** The longest that stopping may take. Whatever is unfinished by then is safe to lose by design. */
const stopPatienceMs = 20_000;

/**
 * Runs a long-running process: configuration, logging, a clean stop, and an exit code that says how
 * it ended. It stops on SIGINT or SIGTERM, and when a certificate, key or API key for Temporal is
 * replaced in its file: its supervisor starts it again with the new one.
 * @param lookEveryMs how often these files are read
 */
export async function runProcess(
  service: string,
  start: (config: Config, log: Logger) => Promise<Running>,
  lookEveryMs?: number,
): Promise<void> {
  const config = await readConfig();
  const endTracing = await startTracing(service, config.tracing);
  const log = createLogger(service, config.log);
  const signaled = new Promise<NodeJS.Signals>((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
  const files = Object.values(config.temporal.files).filter((file) => file !== undefined);
  const replaced = filesChanged(files, lookEveryMs).then(() => 'files replaced' as const);
  const stopped = Promise.race([signaled, replaced]);
  try {
    const running = await Promise.race([start(config, log), stopped]);
    if (typeof running === 'string') process.exit(0);
    const reason = await Promise.race([stopped, running.ended.then(() => 'ended' as const)]);
    log.info({ reason }, 'stopping');
    const outcome = await Promise.race([
      running
        .stop()
        .then(endTracing)
        .then(() => 'stopped' as const),
      delay(stopPatienceMs, 'gave up waiting' as const, { ref: false }),
    ]);
    log.info(outcome);
    process.exit(reason === 'ended' ? 1 : 0);
  } catch (error) {
    log.fatal({ err: error }, `${service} cannot continue`);
    process.exit(1);
  }
}

/** The configuration, with its master keys opened. */
async function readConfig(): Promise<Config> {
  try {
    const config = loadConfig(process.env);
    return { ...config, masterKeys: await unwrapMasterKeys(config.masterKeys, config) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** Retries until a server answers, so that processes can be started in any order. */
export async function untilReachable<T>(
  what: string,
  log: Logger,
  connect: () => Promise<T>,
): Promise<T> {
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await connect();
    } catch (error) {
      log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        `waiting for ${what}`,
      );
      await delay(waitMs);
    }
  }
}
