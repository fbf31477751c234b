import Koa from 'koa';
import { ServiceError } from '../domain/errors.ts';
import { routing } from '../http/context.ts';
import { logBrokenConnections } from '../http/errors.ts';
import { limitByAddress } from '../http/limits.ts';
import {
  accessLog,
  clientAddress,
  requestId,
  responseTimeout,
  traceRequests,
} from '../http/requests.ts';
import type { OperatorState } from './admin/context.ts';
import { createOperatorRouter } from './admin/router.ts';
import type { ApiState } from './context.ts';
import type { ApiDeps } from './deps.ts';
import { errors } from './middleware/errors.ts';
import { createHealthRouter } from './routes/health.ts';

/** The slowest route decides a review: it waits for the workflow. */
const responseTimeoutMs = 25_000;

/** The operators' API as a Koa application. It has its own listener, which is not for the public. */
export function createOperatorApp(deps: ApiDeps): Koa<OperatorState> {
  const { config, log, recordRequests } = deps;
  const app = new Koa<OperatorState>();
  logBrokenConnections(app, log);
  app.use(requestId);
  app.use(traceRequests);
  app.use(clientAddress(config.admin.trustedProxies));
  if (recordRequests) app.use(recordRequests);
  app.use(accessLog(log, operatorLogFields));
  app.use(errors(log));
  app.use(limitByAddress(config.http.addressRateLimitPerMinute));
  app.use(responseTimeout(responseTimeoutMs));

  // Only operators may know whether approvals are on.
  const health = createHealthRouter(deps, { tellsApprovals: true });
  app.use(routing(health)).use(health.routes());
  const admin = createOperatorRouter(deps);
  app.use(routing(admin)).use(admin.routes());
  app.use(() => {
    throw new ServiceError('NOT_FOUND', 'Nothing exists at this path.');
  });
  return app;
}

/** Fields of an operator's request for the access log. */
function operatorLogFields({ operator, address }: ApiState & Partial<OperatorState>) {
  return { operatorId: operator?.operatorId, address };
}
