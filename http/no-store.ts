import type { HttpMiddleware } from './context.ts';

/** An answer to a signed request is for its partner alone: no cache on the way keeps it. */
export const noStore: HttpMiddleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  await next();
};
