import { ServiceError } from '../../domain/errors.ts';
import { modeOfPartner } from '../../domain/go-live.ts';
import { may, type Permission } from '../../domain/operators.ts';
import { isFresh, type PartnerPermission, partnerMay } from '../../domain/partners.ts';
import { type KeptFormDeps, keepForm } from '../../models/identity/kept-forms.ts';
import type { PageContext, PortalContext, PortalMiddleware, Viewer } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { withoutSecrets } from '../forms/submit.ts';
import type { PermissionByMode, Route } from '../routing/route.ts';
import { safePath } from '../routing/safe-path.ts';
import { isOpenToViewing, viewingOperatorOf } from '../session/viewing.ts';
import { redirectTo } from './redirect.ts';

/** Redirects to the second-factor page, where one is given or first set up, and back afterwards. */
export function askForSecondFactor(ctx: PortalContext): void {
  const isPage = ctx.method === 'GET' || ctx.method === 'HEAD';
  // A POST is not repeated on a user's behalf: they return to the form.
  const back = isPage ? ctx.url : pageBefore(ctx);
  redirectTo(ctx, `/second-factor?to=${encodeURIComponent(safePath(back))}`);
}

/**
 * The page whose form was submitted, with its query. A form that is shown again has the path of its action,
 * which may be no page but below one.
 */
function pageBefore(ctx: PortalContext): string {
  const { pathname, search } = URL.parse(ctx.get('referer')) ?? { pathname: '/', search: '' };
  let path = safePath(pathname);
  while (path !== '/' && !ctx.state.mayOpen(path + search)) {
    path = path.slice(0, path.lastIndexOf('/')) || '/';
  }
  return path + search;
}

/** Lets the route's audience pass; visitors are sent to sign in, then back. */
export function admit({ audience, path }: Route): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (audience !== 'public' && !viewer) return sendToSignIn(ctx);
    if (
      viewingOperatorOf(viewer) &&
      (audience === 'operator' || (audience === 'user' && !isOpenToViewing(path)))
    ) {
      throw new ServiceError(
        'FORBIDDEN',
        'You are viewing the portal as a partner. Stop viewing to continue as an operator.',
      );
    }
    if ((audience === 'partner' || audience === 'operator') && viewer?.kind !== audience) {
      throw new ServiceError('FORBIDDEN', 'You don’t have access to this page.');
    }
    if (viewer && audience !== 'public' && isHalfSignedIn(viewer) && !isSignInPath(path)) {
      return askForSecondFactor(ctx);
    }
    await next();
  };
}

/**
 * Whether the viewer still has to give their second factor in this session, or to set up one that they must
 * have, as every operator must. Until then, a password alone opens nothing.
 */
export const isHalfSignedIn = (viewer: Viewer): boolean =>
  viewer.user.secondFactor === null && viewer.kind === 'partner'
    ? viewer.mustEnroll
    : viewer.session.secondFactorAt === null;

/** The pages on which a second factor is given or set up, and the way out. */
const isSignInPath = (path: string): boolean =>
  path === '/second-factor' || path.startsWith('/second-factor/') || path === '/sign-out';

/** Requires the route's permission. */
export function requirePermission({ permission }: Pick<Route, 'permission'>): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (permission !== null && !(viewer && hasPermission(viewer, permission)))
      throw refused(viewer);
    await next();
  };
}

/**
 * Requires the permission for at least one mode, before anything is read to find out which it is: to
 * others, every id is refused alike.
 */
export function requireAny(routes: readonly Route[]): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    const isAllowed = routes.some(
      ({ permission }) => viewer && permission !== null && hasPermission(viewer, permission),
    );
    if (!isAllowed) throw refused(viewer);
    await next();
  };
}

/** Requires what the route needs in the mode of what the request is about. */
export function requireInMode(
  deps: PageDeps,
  { modeOf }: PermissionByMode,
  routes: readonly Route[],
): PortalMiddleware {
  return async (ctx, next) => {
    // Only a partner's routes depend on a mode, and `admit` has let nobody else pass.
    const mode = await modeOf(ctx as unknown as PageContext<'partner'>, deps);
    const route = routes.find((one) => one.mode === mode);
    if (!route) throw new Error(`${ctx.path} has no permission for ${mode}`);
    ctx.state.checkedMode = mode;
    await requirePermission(route)(ctx, () =>
      route.secondFactor ? secondFactor(deps, route.secondFactor)(ctx, next) : next(),
    );
  };
}

const refused = (viewer: Viewer | null): ServiceError =>
  new ServiceError(
    'FORBIDDEN',
    `Your role, ${viewer?.role ?? 'none'}, does not allow this. Ask a teammate whose role does.`,
  );

/** Whether the viewer has a permission; for parts of a page that need more than its route. */
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

/** Requires a recent second factor; afterwards the user returns to the form as they filled it in. */
export function secondFactor(
  deps: KeptFormDeps,
  when: Exclude<Route['secondFactor'], false>,
): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    const isInTest = viewer?.kind === 'partner' && modeOfPartner(viewer.partner) === 'TEST';
    if (when === 'LIVE' && isInTest) return await next();
    if (viewer && isFresh(viewer.session.secondFactorAt, deps.now())) return await next();
    const { form } = ctx.state;
    if (viewer && form) {
      const path = pageBefore(ctx).replace(/\?.*$/, '');
      await keepForm(deps, viewer.session, path, withoutSecrets(form));
    }
    askForSecondFactor(ctx);
  };
}
