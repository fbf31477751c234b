import { ServiceError } from '../../domain/errors.ts';
import { findAccessToken, touchAccessToken } from '../../models/identity/access-tokens.ts';
import { findSignedIn } from '../../models/identity/signed-in.ts';
import type { PortalContext, ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import type { Throttle } from '../session/throttle.ts';

/**
 * Says in whose name a program asks: looked up each time, so that a revoked token, a removed user and
 * another role hold from the next request on.
 * @throws ServiceError INVALID_ACCESS_TOKEN, the same for whatever is wrong; RATE_LIMITED
 */
export async function authenticateProgram(
  deps: PortalDeps,
  throttle: Throttle,
  ctx: Pick<PortalContext, 'get' | 'state'>,
): Promise<ProgramViewer> {
  const given = /^bearer (pat_[\w-]{43})$/i.exec(ctx.get('authorization'))?.[1];
  const token = given === undefined ? null : await findAccessToken(deps, given);
  const signedIn = token && (await findSignedIn(deps, token.userId));
  if (!token || signedIn?.kind !== 'partner') {
    throttle.tryUnknownToken(ctx.state.address);
    throw new ServiceError(
      'INVALID_ACCESS_TOKEN',
      'This access token is unknown, revoked or expired. Make one on the page of your account in the portal.',
      { 'WWW-Authenticate': 'Bearer' },
    );
  }
  const { user, partner, role } = signedIn;
  throttle.tryProgram(user._id);
  await touchAccessToken(deps, token, ctx.state.address).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'last use was not recorded'),
  );
  return { user, partner, role, actorId: user._id };
}
