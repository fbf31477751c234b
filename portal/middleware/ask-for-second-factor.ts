import type { PortalContext } from '../context.ts';
import { safePath } from '../routing/safe-path.ts';
import { redirectTo } from './redirect.ts';

/** Redirects to the second-factor page, where one is given or first set up, and back afterwards. */
export function askForSecondFactor(ctx: PortalContext): void {
  const isPage = ctx.method === 'GET' || ctx.method === 'HEAD';
  // A POST is not repeated on a user's behalf: they return to the form.
  const back = isPage ? ctx.url : pathOf(ctx.get('referer'));
  redirectTo(ctx, `/second-factor?to=${encodeURIComponent(safePath(back))}`);
}

/** The path of the page whose form was submitted. */
export const pathBefore = (ctx: PortalContext): string =>
  safePath(pathOf(ctx.get('referer'))).replace(/\?.*$/, '');

function pathOf(referer: string): string {
  const url = URL.parse(referer);
  return url ? url.pathname + url.search : '/';
}
