import type { PageContext } from '../context.ts';

interface AcceptContext {
  accepts(...types: string[]): string | string[] | false;
  vary(header: string): void;
}

/** Customers of partners have these addresses alone, and are signed in nowhere. */
export const isForCustomers = ({ path }: Pick<PageContext, 'path'>): boolean =>
  path.startsWith('/claim/') || path.startsWith('/points/');

/** Whether a program asks, and not a person: one that would rather have JSON than a page. */
export function asksForJson(ctx: AcceptContext): boolean {
  ctx.vary('Accept');
  return ctx.accepts('html', 'json') === 'json';
}
