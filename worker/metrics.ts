import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActivityInterceptorsFactory, TelemetryOptions } from '@temporalio/worker';
import type { Connection } from 'mongoose';
import { recordModelMetrics } from '../models/store/record-metrics.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createRegistry, serveMetrics } from '../platform/metrics.ts';
import { observePool } from '../platform/pool-metrics.ts';
import { activityMetrics } from './activity-metrics.ts';

export interface WorkerMetrics {
  /** For Temporal's runtime, before anything else of it is used. */
  telemetryOptions: TelemetryOptions;
  activityInterceptors: ActivityInterceptorsFactory[];
  observePool(connection: Connection): void;
  close(): Promise<void>;
}

const sdkPatienceMs = 2_000;

/**
 * Serves the metrics of a worker process, where the configuration has a port for them. Temporal's SDK
 * serves its own on a port of its own: it gets one on the loopback address that nobody else needs to
 * know, and what it says is passed on beside ours, so that one process is one target.
 */
export async function startWorkerMetrics(
  { host, port }: Config['metrics'],
  log: Logger,
): Promise<WorkerMetrics | undefined> {
  if (port === undefined) return undefined;
  const bindAddress = `127.0.0.1:${await freePort()}`;
  const readSdk = async (): Promise<string> => {
    const signal = AbortSignal.timeout(sdkPatienceMs);
    return await (await fetch(`http://${bindAddress}/metrics`, { signal })).text();
  };
  const registry = createRegistry();
  recordModelMetrics(registry);
  const { close } = await serveMetrics({ host, port }, [() => registry.metrics(), readSdk], log);
  return {
    telemetryOptions: {
      metrics: {
        prometheus: {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
    activityInterceptors: [activityMetrics(registry)],
    observePool: (connection) => observePool(connection, registry),
    close,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
