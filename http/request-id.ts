import { newId } from '../platform/ids.ts';
import type { HttpMiddleware } from './context.ts';

/** Gives every request an id, which is in its response, the log and its integration event. */
export const requestId: HttpMiddleware = async (ctx, next) => {
  ctx.state.requestId = newId('request');
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
