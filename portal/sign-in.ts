import { ServiceError } from '../domain/errors.ts';
import { carryOut } from '../models/commands/deeds.ts';
import type { Flash, SignedInBy } from '../models/schemas/session.ts';
import type { UserDoc } from '../models/schemas/user.ts';
import { endSession, startSession } from '../models/sessions.ts';
import type { PageContext } from './context.ts';
import type { PortalDeps } from './deps.ts';
import { sessionCookie } from './session-cookie.ts';

/**
 * Begins a session for somebody who proved who they are; whatever session there was ends.
 * @param user as they were when they proved it
 * @throws ServiceError CONFLICT where their password was changed since, which ended all others
 */
export async function signIn(
  deps: PortalDeps,
  ctx: PageContext,
  user: UserDoc,
  signedInBy: SignedInBy,
  flash?: Flash,
): Promise<void> {
  const { viewer, address, requestId } = ctx.state;
  const actorId = user.adminId ?? user._id;
  if (viewer) await endSession(deps, viewer.user._id, viewer.session._id);
  const { token } = await carryOut(
    deps,
    { actorId, approvedBy: null, requestId },
    {
      action: 'own-session.create',
      partnerId: user.partnerId,
      targetId: null,
      details: { signedInBy },
    },
    async () => {
      const begun = await startSession(deps, {
        userId: user._id,
        signedInBy,
        userAgent: ctx.get('user-agent'),
        address,
        ...(flash && { flash }),
      });
      const { _id, passwordHash } = user;
      if (await deps.models.users.exists({ _id, passwordHash, disabledAt: null })) return begun;
      await endSession(deps, _id, begun.session._id);
      throw new ServiceError('CONFLICT', 'Your password was changed meanwhile. Sign in again.');
    },
    ({ session }) => ({ targetId: session._id }),
  );
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
}

/** Whether who this was may still sign in: a user who is not removed, an operator who is not revoked. */
export async function findActiveUser(
  { models }: Pick<PortalDeps, 'models'>,
  which: { _id: string } | { email: string },
): Promise<UserDoc | null> {
  const user = await models.users.findOne({ ...which, disabledAt: null }).lean();
  if (!user?.adminId) return user;
  return (await models.admins.exists({ _id: user.adminId, revokedAt: null })) ? user : null;
}
