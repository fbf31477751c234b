import { ServiceError } from '../../domain/errors.ts';
import { may, type Permission } from '../../domain/operator-roles.ts';
import { type PartnerPermission, partnerMay } from '../../domain/partner-roles.ts';
import type { PortalContext, PortalMiddleware, Viewer } from '../context.ts';
import type { Route } from '../routing/route.ts';
import { behind, isOpenToViewing } from '../session/viewing.ts';
import { say } from '../words/say.ts';
import { askForSecondFactor } from './ask-for-second-factor.ts';
import { redirectTo } from './redirect.ts';

/** Lets those pass whom the route is for; who is not signed in is asked to, and comes back. */
export function admit({ audience, path }: Route): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (audience !== 'public' && !viewer) return sendToSignIn(ctx);
    if (
      behind(viewer) &&
      (audience === 'operator' || (audience === 'user' && !isOpenToViewing(path)))
    ) {
      throw new ServiceError('FORBIDDEN', say('error.viewing'));
    }
    if ((audience === 'partner' || audience === 'operator') && viewer?.kind !== audience) {
      throw new ServiceError('FORBIDDEN', say('error.noAccess'));
    }
    if (viewer && audience !== 'public' && isHalfSignedIn(viewer) && !isOfSignIn(path)) {
      return askForSecondFactor(ctx);
    }
    await next();
  };
}

/**
 * Whoever has a second factor has given it once in a session, and whoever needs one has it: a password
 * alone opens nothing.
 */
export const isHalfSignedIn = (viewer: Viewer): boolean =>
  viewer.user.secondFactor === null
    ? viewer.kind === 'partner' && viewer.mustEnroll
    : viewer.session.secondFactorAt === null;

/** Where the second factor is given or set up, and what leads out instead. */
const isOfSignIn = (path: string): boolean =>
  path === '/second-factor' || path.startsWith('/second-factor/') || path === '/sign-out';

/** Asks for the permission that the route is declared with. */
export function requirePermission({ permission }: Route): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (permission !== null && !(viewer && hasPermission(viewer, permission))) {
      throw new ServiceError('FORBIDDEN', say('error.role', { role: viewer?.role ?? 'none' }));
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
