import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { untilReachable } from '../platform/process.ts';
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
 * Opens the workers' connection to Temporal, retrying until it succeeds. Certificates and API keys
 * that are replaced in their files are used within `everyMs`, by a new connection.
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
  let timer: NodeJS.Timeout | undefined;

  return {
    first,

    /** A client on the workers' own connection, as eager start requires. */
    client: () => clientOn(current, temporal),

    /** Starts watching the files: the workers use their content from now on. */
    follow(workers: Pick<Workers, 'use'>): void {
      const changed = createSecurityWatch(temporal, security, { log, everyMs: 0 });
      let wanted: Security | undefined;
      let isConnecting = false;
      timer = setInterval(async () => {
        wanted = changed() ?? wanted;
        if (wanted === undefined || isConnecting) return;
        isConnecting = true;
        const target = wanted;
        try {
          const next = await connect(target);
          const old = current;
          workers.use(next);
          current = next;
          // A change during the connection attempt is still to be applied.
          if (wanted === target) wanted = undefined;
          setTimeout(() => void old.close().catch(() => undefined), lingerMs).unref();
          log.info('reconnected to Temporal with the changed certificates or API key');
        } catch (error) {
          log.warn(
            { err: error },
            'cannot connect to Temporal with the changed certificates or API key',
          );
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

/** A client on a worker's own connection, so that what it starts may begin on that worker. */
const clientOn = (
  connection: NativeConnection,
  { namespace }: Pick<Config['temporal'], 'namespace'>,
) => new Client({ connection, namespace, interceptors: clientInterceptors() });
