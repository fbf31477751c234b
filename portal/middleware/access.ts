import { ServiceError } from '../../domain/errors.ts';
import { modeOfPartner } from '../../domain/go-live.ts';
import { may, type Permission } from '../../domain/operators.ts';
import { isFresh, type PartnerPermission, partnerMay } from '../../domain/partners.ts';
import { type KeptFormDeps, keepForm } from '../../models/identity/kept-forms.ts';
import { findRememberedSession } from '../../models/identity/sessions.ts';
import type { SessionDoc } from '../../models/schemas/people.ts';
import type { PageContext, PortalContext, PortalMiddleware, Viewer } from '../context.ts';
import type { PageDeps, PortalDeps } from '../deps.ts';
import { withoutSecrets } from '../forms/submit.ts';
import type { PermissionByMode, Route } from '../routing/route.ts';
import { safePath } from '../routing/safe-path.ts';
import { pathOfKept } from '../session/carry-on.ts';
import { sessionCookie } from '../session/sign-in.ts';
import { isOpenToViewing, viewingOperatorOf } from '../session/viewing.ts';
import { redirectTo } from './redirect.ts';

/**
 * Redirects to the second-factor page, where one is given or first set up. Then a page is shown, and a form that was
 * read is carried out.
 */
export async function askForSecondFactor(
  deps: KeptFormDeps,
  ctx: PortalContext,
  session: SessionDoc,
): Promise<void> {
  const back = isRead(ctx) ? safePath(ctx.url) : await keepSent(deps, ctx, session);
  redirectTo(ctx, `/second-factor?to=${encodeURIComponent(back)}`);
}

const isRead = ({ method }: PortalContext): boolean => method === 'GET' || method === 'HEAD';

/**
 * Keeps the form of a request that cannot be carried out yet.
 * @returns where its user continues: what carries it out, or its page if they have to enter something again
 */
async function keepSent(
  deps: KeptFormDeps,
  ctx: PortalContext,
  session: Pick<SessionDoc, '_id'>,
): Promise<string> {
  const page = pageBefore(ctx);
  const { form } = ctx.state;
  if (!form) return page;
  const [path = '/', query] = page.split('?');
  const fields = withoutSecrets(form);
  const isWhole =
    ctx.state.file === undefined && Object.keys(fields).length === Object.keys(form).length;
  const name = await keepForm(deps, session, {
    path,
    search: query === undefined ? '' : `?${query}`,
    action: isWhole ? safePath(ctx.url) : null,
    fields,
  });
  return isWhole ? pathOfKept(name) : page;
}

/**
 * The page whose form was submitted, with its query. A form that is shown again has the path of its action,
 * which may be no page but below one.
 */
function pageBefore(ctx: PortalContext): string {
  const { state } = ctx;
  if (state.sentBefore) return state.sentBefore.path + state.sentBefore.search;
  const { pathname, search } = URL.parse(ctx.get('referer')) ?? { pathname: '/', search: '' };
  const isOpen = state.viewer ? state.mayOpen : state.isPage;
  let path = safePath(pathname);
  while (path !== '/' && !isOpen(path + search)) {
    path = path.slice(0, path.lastIndexOf('/')) || '/';
  }
  return safePath(path + search);
}

/**
 * Lets the route's audience pass; others are sent to sign in, or to give their second factor, and then continue.
 * @param read reads the request's form, with the checks of a form
 */
export function admit(
  deps: PortalDeps,
  { audience, path }: Route,
  read: (ctx: PortalContext) => Promise<void>,
): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (audience !== 'public' && !viewer) return await sendToSignIn(deps, ctx, read);
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
      if (!isRead(ctx)) await read(ctx);
      return await askForSecondFactor(deps, ctx, viewer.session);
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
export function requireRoutePermission({
  permission,
}: Pick<Route, 'permission'>): PortalMiddleware {
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
    await requireRoutePermission(route)(ctx, () =>
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

/** A form is kept if it was sent from a page of this browser's session, which has ended by itself. */
async function sendToSignIn(
  deps: PortalDeps,
  ctx: PortalContext,
  read: (ctx: PortalContext) => Promise<void>,
): Promise<void> {
  const token = sessionCookie(deps.config).read(ctx);
  const ended =
    isRead(ctx) || token === undefined ? null : await findRememberedSession(deps, token);
  if (ended) await read(ctx);
  const to = isRead(ctx) ? ctx.url : ended ? await keepSent(deps, ctx, ended) : '/';
  redirectTo(ctx, `/sign-in${to === '/' ? '' : `?to=${encodeURIComponent(to)}`}`);
}

/** Requires a recent second factor; afterwards the form is carried out, or the user returns to it as they filled it in. */
export function secondFactor(
  deps: KeptFormDeps,
  when: Exclude<Route['secondFactor'], false>,
): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    const isInTest = viewer?.kind === 'partner' && modeOfPartner(viewer.partner) === 'TEST';
    if (when === 'LIVE' && isInTest) return await next();
    if (viewer && isFresh(viewer.session.secondFactorAt, deps.now())) return await next();
    if (!viewer) throw refused(viewer);
    await askForSecondFactor(deps, ctx, viewer.session);
  };
}
