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
  /**
   * Installs Temporal's runtime so that it exports its own metrics. To be called before the SDK is
   * used.
   */
  installRuntime(options: RuntimeOptions): Promise<void>;
  activityInterceptors: ActivityInterceptorsFactory[];
  observePool(connection: Connection): void;
  /** Has `/readyz` say whether the worker does its work; before this, it does not. */
  readyIf(check: () => Promise<boolean>): void;
  close(): Promise<void>;
}

const sdkPatienceMs = 2_000;
const maxTries = 5;

/**
 * Serves the metrics of a worker process if a port is configured. Temporal's SDK serves its own on
 * a separate port, which is chosen here on the loopback address; its output is appended to ours, so
 * that one process is one scrape target.
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
  let isReady = async () => false;
  const sources = [() => registry.metrics(), readSdk];
  const { close } = await serveMetrics({ host, port }, sources, log, () => isReady());
  return {
    async installRuntime(options) {
      sdkAddress = await onFreeAddress((bindAddress) => {
        const prometheus = {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        };
        Runtime.install({ ...options, telemetryOptions: { metrics: { prometheus } } });
      });
    },
    activityInterceptors: [activityMetrics(registry)],
    observePool: (connection) => observePool(connection, registry),
    readyIf(check) {
      isReady = check;
    },
    close,
  };
}

/**
 * Finds a free address. The SDK does not report which port it got for 0, so it is given a free one,
 * and another if a different process took that first.
 * @returns the address that was taken
 * @throws whatever `take` throws for the last address tried
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
