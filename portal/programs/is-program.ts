import type { PageContext } from '../context.ts';

/** Whether the client is a program: it sends an access token, and its cookies are ignored. */
export const isProgram = (ctx: Pick<PageContext, 'get'>): boolean =>
  /^bearer /i.test(ctx.get('authorization'));
