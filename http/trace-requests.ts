import type { Next } from 'koa';
import { inRootSpan, isTracing, SpanKind, traceparentHeader } from '../platform/tracing.ts';
import { codeOf, type HttpContext } from './context.ts';
import { isHealthRoute } from './health.ts';

/**
 * If tracing is on, creates a span for each request, within the caller's trace if there is one, and
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
