import type { Next, ParameterizedContext } from 'koa';
import { type ServiceError, unavailable } from '../domain/errors.ts';
import { clientAddressOf } from '../platform/addresses.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { inRootSpan, isTracing, SpanKind, traceparentHeader } from '../platform/tracing.ts';
import { codeOf, type HttpContext, type HttpMiddleware, type HttpState } from './context.ts';
import { isHealthRoute } from './health.ts';

/**
 * Logs one line per request, except for health checks. It contains the route, never the path or the body.
 * @param fieldsOf the caller, and further fields for the line
 */
export function accessLog<State extends HttpState>(
  log: Logger,
  fieldsOf: (state: State) => Record<string, unknown>,
) {
  // Redaction costs time, and none of the fields below can contain a secret.
  const lines = log.child({}, { redact: [] });
  return async (ctx: ParameterizedContext<State>, next: Next): Promise<void> => {
    const startedAt = performance.now();
    await next();
    const { requestId, route } = ctx.state;
    if (isHealthRoute(route)) return;
    const fields = {
      requestId,
      method: ctx.method,
      route: route ?? '(none)',
      status: ctx.status,
      code: codeOf(ctx),
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...fieldsOf(ctx.state),
    };
    const line = `${ctx.method} ${fields.route} ${ctx.status} ${fields.code} ${fields.ms} ms`;
    lines[ctx.status >= 500 ? 'error' : 'info'](fields, line);
  };
}

/** Gives every request an id, which is in its response, the log and its row of the request log. */
export const requestId: HttpMiddleware = async (ctx, next) => {
  ctx.state.requestId = newId('request');
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};

/**
 * If tracing is on, creates a span for each request, linked to the caller's trace if there is one, and
 * returns the trace id in the response. The span has the route, never the path: paths contain secrets.
 */
export function traceRequests(ctx: HttpContext, next: Next): Promise<void> {
  if (!isTracing() || isHealthRoute(ctx.path)) return next();
  const traceparent = ctx.get(traceparentHeader);
  return inRootSpan(ctx.method, { kind: SpanKind.SERVER, traceparent }, async (span) => {
    ctx.set('X-Trace-Id', span.spanContext().traceId);
    await next();
    const { route = '(none)', requestId } = ctx.state;
    span.updateName(`${ctx.method} ${route}`);
    span.setAttributes({
      'http.request.method': ctx.method,
      'http.route': route,
      'http.response.status_code': ctx.status,
      'app.request.id': requestId,
      'app.code': codeOf(ctx),
    });
    if (ctx.status >= 500) span.setAttribute('error.type', String(ctx.status));
  });
}

/**
 * Responds with 503 after a timeout, whatever hangs. The handler keeps running, and a retry with the same
 * Idempotency-Key gets its result. The time in which a body arrives does not count (`readBody`).
 * @param lateError the error of a response that is late
 * @throws what the function returns; ServiceError UNAVAILABLE by default
 */
export function responseTimeout(
  timeoutMs: number,
  lateError: (ctx: HttpContext) => ServiceError = unavailable,
): HttpMiddleware {
  return async (ctx, next) => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const stop = () => clearTimeout(timer);
    const start = () => {
      stop();
      timer = setTimeout(() => reject(lateError(ctx)), timeoutMs);
    };
    ctx.state.responseClock = { timeoutMs, start, stop };
    start();
    try {
      await Promise.race([next(), late]);
    } finally {
      stop();
      ctx.state.responseClock = undefined;
    }
  };
}

/**
 * Sets the client's address.
 * @param proxies the number of trusted proxies in front of this process
 */
export function clientAddress(proxies: number): HttpMiddleware {
  return async (ctx, next) => {
    const { remoteAddress = '' } = ctx.req.socket;
    ctx.state.address = clientAddressOf(remoteAddress, ctx.get('x-forwarded-for'), proxies);
    await next();
  };
}

/** Responses to signed requests are only for their partner, so no cache may store them. */
export const noStore: HttpMiddleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  await next();
};
