import { endSession } from '../../models/identity/sessions.ts';
import type { Flash, SignedInBy, UserDoc } from '../../models/schemas/people.ts';
import { beginSession, notifyOfNewDevice } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { newToken } from '../../platform/hashing.ts';
import type { PageContext } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { deviceCookie, sessionCookie } from './session-cookie.ts';

/**
 * Starts a session for an authenticated user and ends the current one, if any.
 * @param user as they were when they authenticated
 * @throws ServiceError CONFLICT if their password was changed since, which ended all other sessions
 */
export async function signIn(
  deps: PortalDeps,
  ctx: PageContext,
  user: UserDoc,
  signedInBy: SignedInBy,
  flash?: Flash,
): Promise<void> {
  const { viewer, address, requestId } = ctx.state;
  if (viewer) await endSession(deps, viewer.user._id, viewer.session._id);
  const { token } = await execute(deps, beginSession, actorOfUser(user, requestId), {
    signedInBy,
    address,
    userAgent: ctx.get('user-agent'),
    passwordHash: user.passwordHash,
    ...(flash && { flash }),
  });
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
  const cookie = deviceCookie(deps.config);
  const device = cookie.read(ctx) ?? newToken();
  cookie.write(ctx, device, { lasts: true });
  // Signing in does not wait for the mail server.
  const signedIn = { device, address, userAgent: ctx.get('user-agent') };
  void notifyOfNewDevice(deps, user, signedIn).catch((error: unknown) =>
    deps.log.error({ err: error, requestId }, 'the notice of a new device was not sent'),
  );
}

/** The user as an actor. At this point, nothing depends on an operator's role yet. */
function actorOfUser({ _id, operatorId, partnerId, role }: UserDoc, requestId: string) {
  if (partnerId !== null && role !== null) {
    return { kind: 'user', id: _id, role, partnerId, requestId, factor: null } as const;
  }
  return {
    kind: 'operator',
    id: operatorId ?? _id,
    role: 'viewer',
    requestId,
    factor: null,
  } as const;
}

/** The user, if they can still sign in: not removed, and not a revoked operator. */
export async function findActiveUser(
  { models }: Pick<PortalDeps, 'models'>,
  which: { _id: string } | { email: string },
): Promise<UserDoc | null> {
  const user = await models.users.findOne({ ...which, disabledAt: null });
  if (!user?.operatorId) return user;
  return (await models.operators.exists({ _id: user.operatorId, revokedAt: null })) ? user : null;
}
