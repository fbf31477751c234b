import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { untilReachable } from '../platform/process.ts';
import { createEagerStart, type EagerStart } from '../temporal/eager-start.ts';
import {
  createSecurityWatch,
  lingerMs,
  lookEveryMs,
  readSecurity,
  type Security,
} from '../temporal/security.ts';
import { clientInterceptors } from '../temporal/tracing.ts';
import type { Workers } from './run.ts';

/**
 * The workers' connection to Temporal, waited for until there is one. Certificates and API keys that are
 * replaced in their files are used by another connection, within `everyMs`.
 */
export async function openWorkerConnection(
  temporal: Config['temporal'],
  log: Logger,
  everyMs = lookEveryMs,
) {
  const connect = (by: Security) => NativeConnection.connect({ address: temporal.address, ...by });
  const security = readSecurity(temporal);
  const first = await untilReachable('Temporal', log, () => connect(security));
  let current = first;
  let start = startingHere(current, temporal);
  let timer: NodeJS.Timeout | undefined;

  return {
    first,

    /** Starts workflows on the workers' own connection, so that they take the first tasks along. */
    start: ((purchase, mayBeEager) =>
      start(purchase, mayBeEager)) satisfies EagerStart as EagerStart,

    /** From now on the workers use what the files say. */
    follow(workers: Pick<Workers, 'use'>): void {
      const changed = createSecurityWatch(temporal, security, { log, everyMs: 0 });
      let wanted: Security | undefined;
      let isConnecting = false;
      timer = setInterval(async () => {
        wanted = changed() ?? wanted;
        if (wanted === undefined || isConnecting) return;
        isConnecting = true;
        const asked = wanted;
        try {
          const next = await connect(asked);
          const old = current;
          workers.use(next);
          current = next;
          start = startingHere(next, temporal);
          // What the files said while it connected is still wanted.
          if (wanted === asked) wanted = undefined;
          setTimeout(() => void old.close().catch(() => undefined), lingerMs).unref();
          log.info('the connection to Temporal is secured by what its files say now');
        } catch (error) {
          log.warn({ err: error }, 'no connection to Temporal by what its files say now');
        } finally {
          isConnecting = false;
        }
      }, everyMs).unref();
    },

    async close(): Promise<void> {
      clearInterval(timer);
      await current.close();
    },
  };
}

/** Starts workflows on a worker's own connection. */
export const startingHere = (
  connection: NativeConnection,
  { namespace, taskQueue }: Pick<Config['temporal'], 'namespace' | 'taskQueue'>,
): EagerStart =>
  createEagerStart(
    new Client({ connection, namespace, interceptors: clientInterceptors() }),
    taskQueue,
  );
