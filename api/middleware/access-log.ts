import type { Logger } from '../../platform/logger.ts';
import { type ApiMiddleware, codeOf } from '../context.ts';
import { isHealthRoute } from '../routes/health.ts';

/** One line per request, with nothing in it that a partner or customer sent but the order's id. */
export function accessLog(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const { requestId, route, keyHolder, externalOrderId, eventId } = ctx.state;
    if (isHealthRoute(route)) return;
    const fields = {
      requestId,
      method: ctx.method,
      route: route ?? '(none)',
      status: ctx.status,
      code: codeOf(ctx),
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      partnerId: keyHolder?.partnerId,
      mode: keyHolder?.mode,
      credentialId: keyHolder?.credentialId,
      externalOrderId,
      eventId,
    };
    const line = `${ctx.method} ${fields.route} ${ctx.status} ${fields.code} ${fields.ms} ms`;
    log[ctx.status >= 500 ? 'error' : 'info'](fields, line);
  };
}
