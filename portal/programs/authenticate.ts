import { ServiceError } from '../../domain/errors.ts';
import { findAccessToken, touchAccessToken } from '../../models/access-tokens.ts';
import type { PortalContext, ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import type { Throttle } from '../throttle.ts';

/**
 * Says in whose name a program asks: looked up each time, so that a revoked token, a removed user and
 * another role hold from the next request on.
 * @throws ServiceError INVALID_ACCESS_TOKEN, the same for whatever is wrong; RATE_LIMITED
 */
export async function authenticateProgram(
  { models, now, log }: PortalDeps,
  throttle: Throttle,
  ctx: Pick<PortalContext, 'get' | 'state'>,
): Promise<ProgramViewer> {
  const given = /^bearer (pat_[\w-]{43})$/i.exec(ctx.get('authorization'))?.[1];
  const token = given === undefined ? null : await findAccessToken({ models, now }, given);
  const user =
    token && (await models.users.findOne({ _id: token.userId, disabledAt: null }).lean());
  const partner = user?.partnerId ? await models.partners.findById(user.partnerId).lean() : null;
  if (!token || !user?.role || !partner) {
    throttle.tryUnknownToken(ctx.state.address);
    throw new ServiceError(
      'INVALID_ACCESS_TOKEN',
      'This access token is unknown, revoked or expired. Make one on the page of your account in the portal.',
      { 'WWW-Authenticate': 'Bearer' },
    );
  }
  throttle.tryProgram(user._id);
  await touchAccessToken({ models, now }, token, ctx.state.address).catch((error: unknown) =>
    log.warn({ err: error }, 'last use was not noted'),
  );
  return { user, partner, role: user.role, actorId: user._id };
}
