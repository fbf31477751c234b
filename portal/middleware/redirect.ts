import { type PortalContext, redirect } from '../context.ts';

/** Redirects to another page, as a whole page even if htmx requested only a part. */
export function redirectTo(ctx: PortalContext, to: string): void {
  if (ctx.get('hx-request') === 'true') ctx.set('HX-Redirect', to);
  redirect(ctx, to);
}
