import { isAdmissionOver } from '../../domain/group-roles.ts';
import { may, type Role } from '../../domain/operators.ts';
import { factorDueAt } from '../../domain/partners.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { findSignedIn } from '../../models/identity/signed-in.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { SessionDoc } from '../../models/schemas/people.ts';
import type { Viewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';

/** Whose session it is, as they are now; null if they can no longer sign in. */
export async function viewerOf(deps: PortalDeps, session: SessionDoc): Promise<Viewer | null> {
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
