import { ServiceError } from '../../domain/errors.ts';
import { may, type Permission } from '../../domain/operator-roles.ts';
import { type PartnerPermission, partnerMay } from '../../domain/partner-roles.ts';
import type { PortalContext, PortalMiddleware, Viewer } from '../context.ts';
import type { Route } from '../routing/route.ts';
import { redirectTo } from './redirect.ts';

/** Lets those pass whom the route is for; who is not signed in is asked to, and comes back. */
export function admit({ audience }: Route): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (audience !== 'public' && !viewer) return sendToSignIn(ctx);
    if ((audience === 'partner' || audience === 'operator') && viewer?.kind !== audience) {
      throw new ServiceError('FORBIDDEN', 'This page is not for your account.');
    }
    await next();
  };
}

/** Asks for the permission that the route is declared with. */
export function requirePermission({ permission }: Route): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (permission !== null && !(viewer && hasPermission(viewer, permission))) {
      throw new ServiceError(
        'FORBIDDEN',
        `Your role is ${viewer?.role ?? 'none'}, which may not do this. Ask somebody of your team who may.`,
      );
    }
    await next();
  };
}

/** Whether who looks may do something; for what a page shows, besides what its route asks for. */
export function hasPermission(viewer: Viewer, permission: Permission | PartnerPermission): boolean {
  return viewer.kind === 'partner'
    ? partnerMay(viewer.role, permission as PartnerPermission)
    : may(viewer.role, permission as Permission);
}

function sendToSignIn(ctx: PortalContext): void {
  const isPage = ctx.method === 'GET' || ctx.method === 'HEAD';
  const to = `/sign-in${isPage && ctx.path !== '/' ? `?to=${encodeURIComponent(ctx.url)}` : ''}`;
  redirectTo(ctx, to);
}
