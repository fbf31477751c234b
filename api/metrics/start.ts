import { measureModels } from '../../models/measured.ts';
import { createRegistry, serveMetrics } from '../../platform/metrics.ts';
import { observePool } from '../../platform/pool-metrics.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { businessMetrics } from './business.ts';
import { requestMetrics } from './requests.ts';

/**
 * Serves the metrics of an API process, where the configuration has a port for them.
 * @returns what its requests are to be counted by
 */
export async function startApiMetrics(
  deps: ApiDeps,
): Promise<{ measureRequests: ApiMiddleware; close(): Promise<void> } | undefined> {
  const { host, port } = deps.config.metrics;
  if (port === undefined) return undefined;
  const registry = createRegistry();
  observePool(deps.models.connection, registry);
  measureModels(registry);
  const sources = [() => registry.metrics(), businessMetrics(deps)];
  const { close } = await serveMetrics({ host, port }, sources, deps.log);
  return { measureRequests: requestMetrics(registry), close };
}
