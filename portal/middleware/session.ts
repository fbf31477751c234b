import { factorDueAt } from '../../domain/second-factor.ts';
import { utc } from '../../domain/time-zones.ts';
import { findSession, setFlash, touchSession } from '../../models/identity/sessions.ts';
import { findSignedIn } from '../../models/identity/signed-in.ts';
import type { SessionDoc } from '../../models/schemas/session.ts';
import { countOpenReviews } from '../../models/views/review-queue.ts';
import { newToken } from '../../platform/hashing.ts';
import type { PortalMiddleware, Viewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { inZone } from '../html/shown-zone.ts';
import { csrfTokenOf, sessionCookie } from '../session/session-cookie.ts';

/**
 * Says who asks: looked up each time, so that a revoked session, a removed user and another role hold
 * from the next page on. A visitor gets a cookie with the first form, and nothing is stored for it.
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
    await inZone(viewer?.user.timeZone ?? utc, next);
    if (given === undefined && ctx.state.hasForm) cookie.write(ctx, value, { lasts: false });
    const { nextFlash, flash } = ctx.state;
    if (viewer && nextFlash) await setFlash(deps, viewer.session, nextFlash);
    else if (viewer && flash && ctx.type === 'text/html' && ctx.status === 200) {
      await setFlash(deps, viewer.session, null);
    }
  };
}

async function viewerOf(deps: PortalDeps, session: SessionDoc): Promise<Viewer | null> {
  const signedIn = await findSignedIn(deps, session.userId);
  if (signedIn === null) return null;
  const { user } = signedIn;
  if (signedIn.kind === 'partner') {
    const dueAt = factorDueAt(user, signedIn.partner.goLive);
    const mustEnroll = dueAt !== null && dueAt.getTime() <= deps.now();
    return { ...signedIn, session, actorId: user._id, factorDueAt: dueAt, mustEnroll };
  }
  const { operator } = signedIn;
  const openReviews = await countOpenReviews(deps.models);
  const { _id: actorId, role } = operator;
  return { kind: 'operator', user, session, role, actorId, openReviews };
}
