import type { Next } from 'koa';
import type { Logger } from '../../platform/logger.ts';
import { codeOf } from '../context.ts';
import type { AdminContext } from './context.ts';

/** One line per request of an operator, with who asked and from where; nothing of what was asked for. */
export function accessLog(log: Logger) {
  return async (ctx: AdminContext, next: Next): Promise<void> => {
    const startedAt = performance.now();
    await next();
    const { requestId, route, admin, address } = ctx.state;
    const fields = {
      requestId,
      method: ctx.method,
      route: route ?? '(none)',
      status: ctx.status,
      code: codeOf(ctx),
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      adminId: admin?.adminId,
      address,
    };
    const line = `${ctx.method} ${fields.route} ${ctx.status} ${fields.code} ${fields.ms} ms`;
    log[ctx.status >= 500 ? 'error' : 'info'](fields, line);
  };
}
