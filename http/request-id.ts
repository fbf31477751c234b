import { newId } from '../platform/ids.ts';
import type { HttpMiddleware } from './context.ts';

/** Names every request; the name is on the answer, in the log and in the integration event. */
export const requestId: HttpMiddleware = async (ctx, next) => {
  ctx.state.requestId = newId('request');
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
