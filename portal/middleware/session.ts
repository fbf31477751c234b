import { may } from '../../domain/operators.ts';
import { utc } from '../../domain/time-zones.ts';
import { findSession, setFlash, touchSession } from '../../models/identity/sessions.ts';
import type { ViewingDoc } from '../../models/schemas/people.ts';
import { newToken } from '../../platform/hashing.ts';
import { inZone } from '../components/format.ts';
import { operatorPaths } from '../components/links.ts';
import type { OperatorViewer, PortalContext, PortalMiddleware } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { csrfTokenOf, sessionCookie } from '../session/sign-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { leaveView, requireReadOnly } from '../session/viewing.ts';
import { redirectTo } from './redirect.ts';

/**
 * Determines the viewer. It is read for each request, so that a revoked session, a removed user or a new
 * role takes effect from the next page on. A visitor gets a cookie with the first form; nothing is stored
 * for it.
 */
export function session(deps: PortalDeps): PortalMiddleware {
  const { config, log } = deps;
  const cookie = sessionCookie(config);
  return async (ctx, next) => {
    const given = cookie.read(ctx);
    const value = given ?? newToken();
    const found = given === undefined ? null : await findSession(deps, given);
    const viewer = found && (await viewerOf(deps, found));
    ctx.state.viewer = viewer;
    ctx.state.csrf = csrfTokenOf(value);
    ctx.state.flash = viewer?.session.flash ?? null;
    if (viewer) {
      await touchSession(deps, viewer.session, ctx.state.address).catch((error: unknown) =>
        log.warn({ err: error }, 'last use was not recorded'),
      );
    }
    if (viewer?.kind === 'operator' && viewer.session.viewing) {
      return await endExpiredView(deps, ctx, viewer, viewer.session.viewing);
    }
    requireReadOnly(viewer, ctx);
    await inZone(viewer?.user.timeZone ?? utc, next);
    if (given === undefined && ctx.state.hasForm) cookie.write(ctx, value, { lasts: false });
    // Signing in to carry out a form has made somebody else the viewer.
    const { nextFlash, flash, viewer: now } = ctx.state;
    if (now && nextFlash) await setFlash(deps, now.session, nextFlash);
    else if (viewer && flash && ctx.type === 'text/html' && ctx.status === 200) {
      await setFlash(deps, viewer.session, null);
    }
  };
}

/** Ends an expired view: redirects to the operators' page of the partner and does nothing else. */
async function endExpiredView(
  deps: PortalDeps,
  ctx: PortalContext,
  { session, actorId, role }: OperatorViewer,
  { partnerId, endsAt }: ViewingDoc,
): Promise<void> {
  const end = may(role, 'partner.view-as') ? 'TIME_IS_UP' : 'NOT_PERMITTED';
  await leaveView(deps, session, { actorId, role, endsAt }, ctx.state.requestId, end);
  const why = end === 'TIME_IS_UP' ? 'it has expired' : 'your role no longer allows it';
  await setFlash(deps, session, {
    tone: 'bad',
    text: `Viewing has ended: ${why}.`,
  });
  redirectTo(ctx, operatorPaths.PARTNER + partnerId);
}
