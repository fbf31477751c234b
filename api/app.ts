import Router from '@koa/router';
import Koa from 'koa';
import { ServiceError } from '../domain/errors.ts';
import { createAdminRouter } from './admin/router.ts';
import { asKoa } from './context.ts';
import type { ApiDeps } from './deps.ts';
import type { Journal } from './journal.ts';
import { accessLog } from './middleware/access-log.ts';
import { answerInTime } from './middleware/answer-in-time.ts';
import { errors } from './middleware/errors.ts';
import { integrationEvents } from './middleware/integration-events.ts';
import { limitByAddress } from './middleware/rate-limit.ts';
import { requestId } from './middleware/request-id.ts';
import { routing } from './middleware/routing.ts';
import { getClaim, postClaim } from './routes/claims.ts';
import { healthz, readyz } from './routes/health.ts';
import { createPartnerRouter } from './routes/partner.ts';

/** The whole HTTP face, given what it needs; it listens to nothing by itself. */
export function createApp(deps: ApiDeps, journal: Journal): Koa {
  const app = new Koa({ proxy: deps.config.http.trustProxy });
  app.use(asKoa(requestId));
  app.use(asKoa(accessLog(deps.log)));
  app.use(asKoa(integrationEvents(journal, deps.now)));
  app.use(asKoa(errors(deps.log)));
  app.use(asKoa(limitByAddress(deps.config.http.addressRateLimitPerMinute)));

  const open = new Router();
  open.get('/healthz', asKoa(healthz));
  open.get('/readyz', asKoa(readyz(deps)));
  const inTime = asKoa(answerInTime(deps.config.http.answerTimeoutMs));
  open.get('/claim/:token', inTime, asKoa(getClaim(deps)));
  open.post('/claim/:token', inTime, asKoa(postClaim(deps)));

  for (const router of [open, createPartnerRouter(deps), createAdminRouter(deps)]) {
    app.use(asKoa(routing(router)));
    app.use(router.routes());
  }
  app.use(() => {
    throw new ServiceError('NOT_FOUND', 'There is nothing at this path.');
  });
  return app;
}
