import { Histogram, type Registry } from '@prometheus-io/client';
import { isHealthRoute } from '../http/health.ts';
import type { Models } from '../models/schemas/index.ts';
import { recordModelMetrics } from '../models/store/record-metrics.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { answerBuckets, createRegistry, metricPrefix, serveMetrics } from '../platform/metrics.ts';
import { observePool } from '../platform/pool-metrics.ts';
import type { PortalMiddleware } from './context.ts';

/** Serves the metrics of a portal process, if a port is configured. @returns the middleware that times pages */
export async function startPortalMetrics(
  { models, log }: { models: Models; log: Logger },
  { host, port }: Config['metrics'],
): Promise<{ recordPages: PortalMiddleware; close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined;
  const registry = createRegistry();
  observePool(models.connection, registry);
  recordModelMetrics(registry);
  const { close } = await serveMetrics({ host, port }, [() => registry.metrics()], log);
  return { recordPages: pageMetrics(registry), close };
}

/** Times pages by route pattern and status, except health checks. */
function pageMetrics(registry: Registry): PortalMiddleware {
  const duration = new Histogram({
    name: `${metricPrefix}page_duration_seconds`,
    help: 'Pages and forms of the portal, by route and by the status of their response',
    labelNames: ['route', 'status'],
    buckets: answerBuckets,
    registers: [registry],
  });
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { route } = ctx.state;
      if (!isHealthRoute(route)) {
        duration.observe(
          { route: `${methodOf(ctx.method)} ${route ?? '(none)'}`, status: String(ctx.status) },
          (performance.now() - startedAt) / 1000,
        );
      }
    }
  };
}

/** Clients can send any text as a method, which must not become a label of ours. */
const methodOf = (method: string): string =>
  ['GET', 'HEAD', 'POST'].includes(method) ? method : 'OTHER';
