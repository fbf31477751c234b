import type { Next, ParameterizedContext } from 'koa';
import type { Logger } from '../platform/logger.ts';
import { codeOf, type HttpState } from './context.ts';
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
