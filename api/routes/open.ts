import Router from '@koa/router';
import { answerInTime } from '../../http/answer-in-time.ts';
import { createHealth } from '../../http/health.ts';
import type { ApiState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { getClaim, postClaim } from './claims.ts';

/** What anyone may ask: the state of the service, and a reward by the token of its claim link. */
export function createOpenRouter(deps: ApiDeps): Router<ApiState> {
  const inTime = answerInTime(deps.config.http.answerTimeoutMs);
  const router = new Router<ApiState>();
  const { healthz, readyz, statusz } = createHealth(deps);
  router.get('/healthz', healthz);
  router.get('/readyz', readyz);
  router.get('/statusz', statusz);
  router.get('/claim/:token', inTime, getClaim(deps));
  router.post('/claim/:token', inTime, postClaim(deps));
  return router;
}
