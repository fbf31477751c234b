import Router from '@koa/router';
import { createHealth } from '../../http/health.ts';
import type { ApiState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/** The health routes, which require no authentication. @param options for `createHealth` */
export function createHealthRouter(
  deps: ApiDeps,
  options?: Parameters<typeof createHealth>[1],
): Router<ApiState> {
  const router = new Router<ApiState>();
  const { healthz, readyz, statusz } = createHealth(deps, options);
  router.get('/healthz', healthz);
  router.get('/readyz', readyz);
  router.get('/statusz', statusz);
  return router;
}
