import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { Logger } from './logger.ts';

/** The prefix of all our metrics. */
export const metricPrefix = 'partner_events_';

/** In seconds, from a cached response to one that timed out. */
export const answerBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 5,
];

/**
 * A registry with the default metrics of the process: memory, CPU, event loop lag, garbage
 * collection.
 */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` in Prometheus' text format, and `/readyz` of a process that serves nothing else.
 * @param sources called for every scrape, their output concatenated; no two may share a metric. If
 *   one fails, so does the scrape, and Prometheus shows the target as down
 * @param port 0 for any free one
 * @param isReady whether the process does its work; without it, there is no `/readyz`
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  sources: readonly (() => Promise<string>)[],
  log: Logger,
  isReady?: () => Promise<boolean>,
): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    const path = request.method === 'GET' ? request.url?.split('?')[0] : undefined;
    if (path === '/readyz' && isReady !== undefined) {
      response.writeHead((await isReady().catch(() => false)) ? 200 : 503).end();
      return;
    }
    if (path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const parts = await Promise.all(sources.map((source) => source()));
      response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE });
      response.end(parts.join('\n'));
    } catch (error) {
      log.warn({ err: error }, 'metrics cannot be read');
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const listened = typeof address === 'object' && address ? address.port : port;
  log.info({ host, port: listened }, 'metrics are served');
  return {
    port: listened,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
