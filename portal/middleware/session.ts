import { isAdmissionOver } from '../../domain/group-roles.ts';
import { may, type Role } from '../../domain/operators.ts';
import { factorDueAt } from '../../domain/partners.ts';
import { utc } from '../../domain/time-zones.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { findSession, setFlash, touchSession } from '../../models/identity/sessions.ts';
import { findSignedIn } from '../../models/identity/signed-in.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { SessionDoc, ViewingDoc } from '../../models/schemas/people.ts';
import { newToken } from '../../platform/hashing.ts';
import { inZone } from '../components/format.ts';
import { operatorPaths } from '../components/links.ts';
import type { OperatorViewer, PortalContext, PortalMiddleware, Viewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { csrfTokenOf, sessionCookie } from '../session/sign-in.ts';
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
  const isOver =
    session.signedInBy === 'SSO' && isAdmissionOver(deps.config, user.admittedAt, deps.now());
  if (isOver) return null;
  if (signedIn.kind === 'partner') {
    const dueAt = factorDueAt(user, signedIn.partner.goLive);
    const mustEnroll = dueAt !== null && dueAt.getTime() <= deps.now();
    return { ...signedIn, session, actorId: user._id, factorDueAt: dueAt, mustEnroll };
  }
  const { operator } = signedIn;
  const { _id: actorId, role } = operator;
  const partner = await partnerInView(deps, session, role);
  if (partner) {
    return {
      kind: 'partner',
      user,
      session,
      actorId,
      partner,
      role: 'viewer',
      factorDueAt: null,
      mustEnroll: false,
      operator: { actorId, role, endsAt: session.viewing?.endsAt ?? new Date(0) },
    };
  }
  return { kind: 'operator', user, session, role, actorId };
}

/**
 * The partner whose portal an operator is viewing, while that is allowed: the role and the time limit are
 * checked on every request.
 */
async function partnerInView(
  { models, now }: PortalDeps,
  { viewing, secondFactorAt }: SessionDoc,
  role: Role,
): Promise<PartnerDoc | null> {
  const isOpen = viewing && secondFactorAt !== null && viewing.endsAt.getTime() > now();
  if (!isOpen || !may(role, 'partner.view-as')) return null;
  return await findPartner(models, viewing.partnerId);
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
