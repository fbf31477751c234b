import { type PortalContext, redirect } from '../context.ts';

/** Leads to another page before what was asked for: the whole of it, also where a part of one was asked for. */
export function redirectTo(ctx: PortalContext, to: string): void {
  if (ctx.get('hx-request') === 'true') ctx.set('HX-Redirect', to);
  redirect(ctx, to);
}
