import type { Models } from '../../models/schemas/index.ts';
import type { SessionDoc } from '../../models/schemas/session.ts';
import { findSession, setFlash, touchSession } from '../../models/sessions.ts';
import { newToken } from '../../platform/hashing.ts';
import type { PortalMiddleware, Viewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { csrfTokenOf, sessionCookie } from '../session-cookie.ts';

/**
 * Says who asks: looked up each time, so that a revoked session, a removed user and another role hold
 * from the next page on. A visitor gets a cookie with the first form, and nothing is stored for it.
 */
export function session(deps: PortalDeps): PortalMiddleware {
  const { models, config, log } = deps;
  const cookie = sessionCookie(config);
  return async (ctx, next) => {
    const given = cookie.read(ctx);
    const value = given ?? newToken();
    const found = given === undefined ? null : await findSession(deps, given);
    const viewer = found && (await viewerOf(models, found));
    ctx.state.viewer = viewer;
    ctx.state.csrf = csrfTokenOf(value);
    ctx.state.flash = viewer?.session.flash ?? null;
    if (viewer) {
      await touchSession(deps, viewer.session, ctx.state.address).catch((error: unknown) =>
        log.warn({ err: error }, 'last use was not noted'),
      );
    }
    await next();
    if (given === undefined && ctx.state.hasForm) cookie.write(ctx, value, { lasts: false });
    const { nextFlash, flash } = ctx.state;
    if (viewer && nextFlash) await setFlash(deps, viewer.session, nextFlash);
    else if (viewer && flash && ctx.type === 'text/html' && ctx.status === 200) {
      await setFlash(deps, viewer.session, null);
    }
  };
}

async function viewerOf(models: Models, session: SessionDoc): Promise<Viewer | null> {
  const user = await models.users.findOne({ _id: session.userId, disabledAt: null }).lean();
  if (user?.adminId) {
    const admin = await models.admins.findOne({ _id: user.adminId, revokedAt: null }).lean();
    return admin && { kind: 'operator', user, session, role: admin.role, actorId: admin._id };
  }
  if (!user?.partnerId || !user.role) return null;
  const partner = await models.partners.findById(user.partnerId).lean();
  return partner && { kind: 'partner', user, session, partner, role: user.role, actorId: user._id };
}
