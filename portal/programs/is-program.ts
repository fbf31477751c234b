import type { PageContext } from '../context.ts';

/** Whether a program asks, and no browser: it shows an access token, and its cookie counts for nothing. */
export const isProgram = (ctx: Pick<PageContext, 'get'>): boolean =>
  /^bearer /i.test(ctx.get('authorization'));
