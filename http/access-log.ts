import type { Next, ParameterizedContext } from 'koa';
import type { Logger } from '../platform/logger.ts';
import { codeOf, type HttpState } from './context.ts';
import { isHealthRoute } from './health.ts';

/**
 * One line per request, but those for health; nothing in it of what was asked for.
 * @param who says who asked, and what a line of theirs tells besides
 */
export function accessLog<State extends HttpState>(
  log: Logger,
  who: (state: State) => Record<string, unknown>,
) {
  // Its fields are those below, and none of them needs to be looked through for secrets.
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
      ...who(ctx.state),
    };
    const line = `${ctx.method} ${fields.route} ${ctx.status} ${fields.code} ${fields.ms} ms`;
    lines[ctx.status >= 500 ? 'error' : 'info'](fields, line);
  };
}
