import type { RouterContext } from '@koa/router';
import Koa from 'koa';
import { requestTimeout, unavailable } from '../domain/errors.ts';
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
import type { PortalContext, PortalMiddleware, PortalState } from './context.ts';
import type { PortalDeps } from './deps.ts';
import { createProbeRouter } from './health.ts';
import { isForCustomers } from './middleware/customers.ts';
import { notFound } from './middleware/form.ts';
import { mayOpen } from './middleware/may-open.ts';
import { assets, errorPages, securityHeaders } from './middleware/responses.ts';
import { session } from './middleware/session.ts';
import { addPages } from './pages.ts';
import { createPrograms } from './programs/programs.ts';
import type { Route } from './routing/route.ts';
import { createRoutes, type Routes } from './routing/route-table.ts';
import { carryOn } from './session/carry-on.ts';
import { createThrottle, type ThrottleLimits } from './session/throttle.ts';

/** A page that takes longer gets a 503; a form has as long to arrive, and more if it is long. */
const responseTimeoutMs = 20_000;
/** Long enough for an upload over a slow connection: 20 MiB at 1.4 Mbit/s. */
export const uploadTimeoutMs = 120_000;

export interface Portal {
  app: Koa<PortalState>;
  /** Every page and action, for tests that go through all of them. */
  table: readonly Route[];
}

/**
 * The pages for partners and operators. It does not listen by itself.
 * @param limits of attempts that are throttled
 * @param addMorePages declares further pages behind the same checks
 */
export function createPortal(
  deps: PortalDeps,
  limits: Partial<ThrottleLimits> = {},
  addMorePages: (routes: Routes) => void = () => undefined,
): Portal {
  const { config, log, recordPages } = deps;
  const app = new Koa<PortalState>();
  logBrokenConnections(app, log);
  const health = createProbeRouter(deps);
  const throttle = createThrottle(limits);
  const routes = createRoutes({ ...deps, throttle });
  addPages(routes, deps);
  addMorePages(routes);

  app.use(requestId);
  app.use(traceRequests);
  app.use(clientAddress(config.portal.trustedProxies));
  if (recordPages) app.use(recordPages);
  app.use(accessLog(log, viewerLogFields));
  app.use(securityHeaders(config));
  app.use(assets());
  app.use(mayOpen(routes.table));
  app.use(errorPages(log));
  app.use(limitByAddress(config.http.addressRateLimitPerMinute));
  app.use(inTime);
  app.use(routing(health)).use(health.routes());
  app.use(createPrograms(deps, throttle));
  app.use(session(deps));
  const dispatch = routes.router.routes();
  const route = routing(routes.router);
  const respond = (ctx: PortalContext) =>
    route(ctx, () =>
      dispatch(ctx as RouterContext<PortalState>, () => {
        throw notFound();
      }),
    );
  app.use(async (ctx) => {
    await respond(ctx);
    await carryOn(deps, ctx, () => respond(ctx));
  });
  return { app, table: routes.table };
}

const answerPage = responseTimeout(responseTimeoutMs);
const answerUpload = responseTimeout(uploadTimeoutMs, (ctx) => {
  if (ctx.req.complete) return unavailable();
  ctx.set('Connection', 'close');
  return requestTimeout();
});
const inTime: PortalMiddleware = (ctx, next) =>
  ctx.request.type === 'multipart/form-data' ? answerUpload(ctx, next) : answerPage(ctx, next);

/** What the access log records about the viewer: IDs, and the address of people who work here, never of customers. */
function viewerLogFields({ viewer, program, route, address }: PortalState) {
  const partner = viewer?.kind === 'partner' ? viewer.partner : program?.partner;
  const actorId = (viewer ?? program)?.actorId;
  // Customers' pages bring files with them, which have no route.
  const isCustomers = route === undefined || isForCustomers({ path: route });
  const seen = actorId !== undefined || !isCustomers;
  return { actorId, partnerId: partner?._id, address: seen ? address : undefined };
}
