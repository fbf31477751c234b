import Koa from 'koa';
import { ServiceError } from '../domain/errors.ts';
import { routing } from '../http/context.ts';
import { logBrokenConnections } from '../http/errors.ts';
import { limitByAddress } from '../http/limits.ts';
import { accessLog, clientAddress, requestId, traceRequests } from '../http/requests.ts';
import type { ApiState } from './context.ts';
import type { ApiDeps } from './deps.ts';
import { partnerLogFields } from './middleware/authenticate.ts';
import { errors } from './middleware/errors.ts';
import { logRequests, refusedRequests } from './middleware/recorded.ts';
import type { RefusedRequestBuffer } from './refused-request-buffer.ts';
import type { RequestLog } from './request-log.ts';
import { createConnectRouter } from './routes/connect.ts';
import { createHealthRouter } from './routes/health.ts';
import { createPartnerRouter } from './routes/partner.ts';
import { createReferenceRouter } from './routes/reference.ts';
import { createSigningKeysRouter } from './routes/signing-keys.ts';

/** The partners' API as a Koa application, which the caller serves. */
export function createApp(
  deps: ApiDeps,
  requestLog: RequestLog,
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
  app.use(logRequests(requestLog, now));
  app.use(refusedRequests(refusedRequestBuffer, deps));
  app.use(errors(log));
  app.use(limitByAddress(config.http.addressRateLimitPerMinute));

  const routers = [
    createPartnerRouter(deps),
    createConnectRouter(deps),
    createHealthRouter(deps),
    createReferenceRouter(deps),
    createSigningKeysRouter(deps),
  ];
  for (const router of routers) {
    app.use(routing(router)).use(router.routes());
  }
  app.use(() => {
    throw new ServiceError('NOT_FOUND', 'Nothing exists at this path.');
  });
  return app;
}
