import Koa from 'koa';
import { ServiceError } from '../domain/errors.ts';
import { accessLog } from '../http/access-log.ts';
import { clientAddress } from '../http/client-address.ts';
import { limitByAddress } from '../http/limit-by-address.ts';
import { logBrokenConnections } from '../http/log-broken-connections.ts';
import { requestId } from '../http/request-id.ts';
import { routing } from '../http/routing.ts';
import { traceRequests } from '../http/trace-requests.ts';
import type { ApiState } from './context.ts';
import type { ApiDeps } from './deps.ts';
import type { IntegrationEventBuffer } from './integration-event-buffer.ts';
import { errors } from './middleware/errors.ts';
import { integrationEvents } from './middleware/integration-events.ts';
import { partnerLogFields } from './middleware/partner-log-fields.ts';
import { refusedRequests } from './middleware/refused-requests.ts';
import type { RefusedRequestBuffer } from './refused-request-buffer.ts';
import { createHealthRouter } from './routes/health.ts';
import { createPartnerRouter } from './routes/partner.ts';
import { createReferenceRouter } from './routes/reference.ts';

/** The partners' API as a Koa application, which the caller serves. */
export function createApp(
  deps: ApiDeps,
  integrationEventBuffer: IntegrationEventBuffer,
  refusedRequestBuffer: RefusedRequestBuffer,
): Koa<ApiState> {
  const { config, log, now, recordRequests } = deps;
  const app = new Koa<ApiState>();
  logBrokenConnections(app, log);
  app.use(requestId);
  app.use(traceRequests);
  app.use(clientAddress(config.http.trustedProxies));
  if (recordRequests) app.use(recordRequests);
  app.use(accessLog(log, partnerLogFields(config)));
  app.use(integrationEvents(integrationEventBuffer, now));
  app.use(refusedRequests(refusedRequestBuffer, deps));
  app.use(errors(log));
  app.use(limitByAddress(config.http.addressRateLimitPerMinute));

  const routers = [createPartnerRouter(deps), createHealthRouter(deps), createReferenceRouter()];
  for (const router of routers) {
    app.use(routing(router)).use(router.routes());
  }
  app.use(() => {
    throw new ServiceError('NOT_FOUND', 'Nothing exists at this path.');
  });
  return app;
}
