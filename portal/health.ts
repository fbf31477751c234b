import { Router } from '@koa/router';
import { createHealth } from '../http/health.ts';
import type { PortalState } from './context.ts';
import type { PortalDeps } from './deps.ts';

/** Health checks for load balancers: the process is up, and reaches MongoDB. */
export function createProbeRouter(deps: PortalDeps): Router<PortalState> {
  const router = new Router<PortalState>();
  const { healthz, readyz } = createHealth(deps);
  router.get('/healthz', healthz);
  router.get('/readyz', readyz);
  return router;
}
