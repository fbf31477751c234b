import { ServiceError } from '../../domain/errors.ts';
import { findAccessToken, touchAccessToken } from '../../models/identity/access-tokens.ts';
import { findPartner } from '../../models/identity/partners.ts';
import {
  authenticateServiceAccount,
  touchServiceToken,
} from '../../models/identity/service-accounts.ts';
import { findSignedIn } from '../../models/identity/signed-in.ts';
import type { PortalContext, ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import type { Throttle } from '../session/throttle.ts';

/** The owner of a token, and a function that records its use. */
interface Known {
  viewer: ProgramViewer;
  touch(address: string): Promise<void>;
}

/**
 * Authenticates a program. The owner is read for each request, so that a revoked token, a removed user, a
 * new role or a suspension takes effect at once.
 * @throws ServiceError INVALID_ACCESS_TOKEN, the same for any invalid token; RATE_LIMITED;
 *   PARTNER_NOT_ACTIVE for a service account
 */
export async function authenticateProgram(
  deps: PortalDeps,
  throttle: Throttle,
  ctx: Pick<PortalContext, 'get' | 'state'>,
): Promise<ProgramViewer> {
  const token = /^bearer (p(?:at|sa)_[\w-]{43})$/i.exec(ctx.get('authorization'))?.[1] ?? '';
  const known = await (token.startsWith('psa_') ? findService : findUser)(deps, token);
  if (known === null) {
    throttle.tryUnknownToken(ctx.state.address);
    throw new ServiceError(
      'INVALID_ACCESS_TOKEN',
      'This access token is unknown, revoked or expired. Create another one in the portal, under Account or Service accounts.',
      { 'WWW-Authenticate': 'Bearer' },
    );
  }
  const { viewer, touch } = known;
  throttle.tryProgram(viewer.actorId);
  if (viewer.kind === 'service' && viewer.partner.status === 'SUSPENDED') {
    throw new ServiceError(
      'PARTNER_NOT_ACTIVE',
      'The partner is suspended: its service accounts cannot read data until it is active again.',
    );
  }
  await touch(ctx.state.address).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'last use was not recorded'),
  );
  return viewer;
}

async function findUser(deps: PortalDeps, given: string): Promise<Known | null> {
  const token = await findAccessToken(deps, given);
  const signedIn = token && (await findSignedIn(deps, token.userId));
  if (!token || signedIn?.kind !== 'partner') return null;
  const { user, partner, role } = signedIn;
  return {
    viewer: { kind: 'user', partner, role, actorId: user._id },
    touch: (address) => touchAccessToken(deps, token, address),
  };
}

async function findService(deps: PortalDeps, given: string): Promise<Known | null> {
  const known = await authenticateServiceAccount(deps, given);
  if (!known) return null;
  const { account, shown } = known;
  const { _id: actorId, partnerId, mode, scopes } = account;
  const partner = await findPartner(deps.models, partnerId);
  return {
    viewer: { kind: 'service', partner, mode, scopes, actorId },
    touch: (address) => touchServiceToken(deps, account, shown, address),
  };
}
