import type { HttpMiddleware } from './context.ts';

/** Responses to signed requests are only for their partner, so no cache may store them. */
export const noStore: HttpMiddleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  await next();
};
