import Koa from 'koa';
import { accessLog } from '../http/access-log.ts';
import { answerInTime } from '../http/answer-in-time.ts';
import { clientAddress } from '../http/client-address.ts';
import { limitByAddress } from '../http/limit-by-address.ts';
import { requestId } from '../http/request-id.ts';
import { routing } from '../http/routing.ts';
import type { PortalState } from './context.ts';
import type { PortalDeps } from './deps.ts';
import { assets } from './middleware/assets.ts';
import { errors } from './middleware/errors.ts';
import { headers } from './middleware/headers.ts';
import { mayOpen } from './middleware/may-open.ts';
import { session } from './middleware/session.ts';
import { nothingHere } from './middleware/well-formed.ts';
import type { Route } from './route.ts';
import { createRoutes, type Routes } from './route-table.ts';
import { createHealthRouter } from './routes/health.ts';
import { addPages } from './routes/index.ts';
import { createThrottle, type ThrottleLimits } from './throttle.ts';

/** A page that needs longer is answered 503. */
const answerTimeoutMs = 20_000;

export interface Portal {
  app: Koa<PortalState>;
  /** Every page and action, as tests walk them. */
  table: readonly Route[];
}

/**
 * The pages for partners and operators, given what they need; it listens to nothing by itself.
 * @param limits of what may be tried
 * @param addMorePages declares further pages, behind the same checks
 */
export function createPortal(
  deps: PortalDeps,
  limits: Partial<ThrottleLimits> = {},
  addMorePages: (routes: Routes) => void = () => undefined,
): Portal {
  const { config, log, measurePages } = deps;
  const app = new Koa<PortalState>();
  const health = createHealthRouter(deps);
  const routes = createRoutes(deps);
  addPages(routes, deps, createThrottle(limits));
  addMorePages(routes);

  app.use(requestId);
  app.use(clientAddress(config.http.trustedProxies));
  if (measurePages) app.use(measurePages);
  app.use(accessLog(log, viewersLine));
  app.use(headers(config));
  app.use(assets());
  app.use(mayOpen(routes.table));
  app.use(errors(log));
  app.use(limitByAddress(config.http.addressRateLimitPerMinute));
  app.use(answerInTime(answerTimeoutMs));
  app.use(routing(health)).use(health.routes());
  app.use(session(deps));
  app.use(routing(routes.router)).use(routes.router.routes());
  app.use(() => {
    throw nothingHere();
  });
  return { app, table: routes.table };
}

/** What the access log tells of who asked: ids alone. */
function viewersLine({ viewer, address }: PortalState) {
  const partnerId = viewer?.kind === 'partner' ? viewer.partner._id : undefined;
  return { actorId: viewer?.actorId, partnerId, address };
}
