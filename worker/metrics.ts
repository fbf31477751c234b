import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ActivityInterceptorsFactory, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Connection } from 'mongoose';
import { recordModelMetrics } from '../models/store/record-metrics.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createRegistry, serveMetrics } from '../platform/metrics.ts';
import { observePool } from '../platform/pool-metrics.ts';
import { activityMetrics } from './activity-metrics.ts';

export interface WorkerMetrics {
  /** Installs Temporal's runtime, which then tells its own figures; before anything else of it is used. */
  installRuntime(options: RuntimeOptions): Promise<void>;
  activityInterceptors: ActivityInterceptorsFactory[];
  observePool(connection: Connection): void;
  close(): Promise<void>;
}

const sdkPatienceMs = 2_000;
const maxTries = 5;

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
  let sdkAddress: string | undefined;
  const readSdk = async (): Promise<string> => {
    if (sdkAddress === undefined) return '';
    const signal = AbortSignal.timeout(sdkPatienceMs);
    return await (await fetch(`http://${sdkAddress}/metrics`, { signal })).text();
  };
  const registry = createRegistry();
  recordModelMetrics(registry);
  const { close } = await serveMetrics({ host, port }, [() => registry.metrics(), readSdk], log);
  return {
    async installRuntime(options) {
      sdkAddress = await onFreeAddress((bindAddress) => {
        const prometheus = {
          ...{ bindAddress, countersTotalSuffix: true },
          ...{ unitSuffix: true, useSecondsForDurations: true },
        };
        Runtime.install({ ...options, telemetryOptions: { metrics: { prometheus } } });
      });
    },
    activityInterceptors: [activityMetrics(registry)],
    observePool: (connection) => observePool(connection, registry),
    close,
  };
}

/**
 * The SDK does not tell which port it was given: it is told a free one, and another where somebody else
 * was faster.
 * @returns the address that was taken
 * @throws whatever `take` throws of the last address that is tried
 */
export async function onFreeAddress(
  take: (address: string) => void,
  findPort: () => Promise<number> = freePort,
): Promise<string> {
  for (let triesLeft = maxTries; ; triesLeft--) {
    const address = `127.0.0.1:${await findPort()}`;
    try {
      take(address);
      return address;
    } catch (error) {
      if (triesLeft === 1) throw error;
    }
  }
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
