import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { codeOf } from '../../http/context.ts';
import { isHealthRoute } from '../../http/health.ts';
import { answerBuckets, metricPrefix } from '../../platform/metrics.ts';
import type { ApiMiddleware } from '../context.ts';

/** Other methods are counted as `OTHER`: clients must not be able to create new label values. */
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Counts and times requests by route pattern, code and mode, each of which has a bounded number of
 * values. Health checks are not counted.
 */
export function requestMetrics(registry: Registry): ApiMiddleware {
  const registers = [registry];
  const duration = new Histogram({
    name: `${metricPrefix}request_duration_seconds`,
    help: 'Requests by route, by the code of their response (OK, ACCEPTED, REPLAYED or a refusal) and by mode',
    labelNames: ['route', 'code', 'mode'],
    buckets: answerBuckets,
    registers,
  });
  const replays = new Counter({
    name: `${metricPrefix}replays_total`,
    help: 'Responses replayed from storage',
    labelNames: ['mode'],
    registers,
  });
  const refusals = new Counter({
    name: `${metricPrefix}refusals_total`,
    help: 'Refusals, by code',
    labelNames: ['code'],
    registers,
  });
  const inFlight = new Gauge({
    name: `${metricPrefix}requests_in_flight`,
    help: 'Requests in progress',
    registers,
  });
  return async (ctx, next) => {
    const startedAt = performance.now();
    inFlight.inc();
    try {
      await next();
    } finally {
      inFlight.dec();
    }
    const { route, keyHolder } = ctx.state;
    if (isHealthRoute(route)) return;
    const method = methods.has(ctx.method) ? ctx.method : 'OTHER';
    const code = codeOf(ctx);
    const mode = keyHolder?.mode ?? 'none';
    duration.observe(
      { route: `${method} ${route ?? '(none)'}`, code, mode },
      (performance.now() - startedAt) / 1000,
    );
    if (code === 'REPLAYED') replays.inc({ mode });
    if (ctx.status >= 400) refusals.inc({ code });
  };
}
