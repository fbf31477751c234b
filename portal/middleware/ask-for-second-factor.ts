import type { PortalContext } from '../context.ts';
import { safePath } from '../routing/safe-path.ts';
import { redirectTo } from './redirect.ts';

/** Leads to where the second factor is given, or enrolled first, and from there back. */
export function askForSecondFactor(ctx: PortalContext): void {
  const isPage = ctx.method === 'GET' || ctx.method === 'HEAD';
  // What was sent is not sent again for somebody: they come back to the form.
  const back = isPage ? ctx.url : pathOf(ctx.get('referer'));
  redirectTo(ctx, `/second-factor?to=${encodeURIComponent(safePath(back))}`);
}

/** The page whose form was sent. */
export const pathBefore = (ctx: PortalContext): string =>
  safePath(pathOf(ctx.get('referer'))).replace(/\?.*$/, '');

function pathOf(referer: string): string {
  const url = URL.parse(referer);
  return url ? url.pathname + url.search : '/';
}
