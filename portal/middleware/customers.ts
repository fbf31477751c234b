import type { PageContext } from '../context.ts';

interface AcceptContext {
  accepts(...types: string[]): string | string[] | false;
  vary(header: string): void;
}

/** The only pages for partners' customers, who never sign in. */
export const isForCustomers = ({ path }: Pick<PageContext, 'path'>): boolean =>
  path.startsWith('/claim/') || path.startsWith('/points/');

/** Whether the client prefers JSON to a page, as programs do. */
export function asksForJson(ctx: AcceptContext): boolean {
  ctx.vary('Accept');
  return ctx.accepts('html', 'json') === 'json';
}
