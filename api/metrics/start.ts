import { recordModelMetrics } from '../../models/store/record-metrics.ts';
import { createRegistry, serveMetrics } from '../../platform/metrics.ts';
import { observePool } from '../../platform/pool-metrics.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { businessMetrics } from './business.ts';
import { requestMetrics } from './requests.ts';

/**
 * Serves the metrics of an API process, if the configuration has a port for them.
 * @returns the middleware that counts requests; undefined without a port
 */
export async function startApiMetrics(
  deps: ApiDeps,
): Promise<{ recordRequests: ApiMiddleware; close(): Promise<void> } | undefined> {
  const { host, port } = deps.config.metrics;
  if (port === undefined) return undefined;
  const registry = createRegistry();
  observePool(deps.models.connection, registry);
  recordModelMetrics(registry);
  const sources = [() => registry.metrics(), businessMetrics(deps)];
  const { close } = await serveMetrics({ host, port }, sources, deps.log);
  return { recordRequests: requestMetrics(registry), close };
}
