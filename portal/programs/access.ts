import { ServiceError } from '../../domain/errors.ts';
import { isAdmissionOver } from '../../domain/group-roles.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type PartnerPermission,
  partnerMay,
  type ServiceAccountScope,
} from '../../domain/partners.ts';
import { findAccessToken, touchAccessToken } from '../../models/identity/access-tokens.ts';
import { findPartner } from '../../models/identity/partners.ts';
import {
  authenticateServiceAccount,
  touchServiceToken,
} from '../../models/identity/service-accounts.ts';
import { findSignedIn } from '../../models/identity/signed-in.ts';
import type {
  PageContext,
  PortalContext,
  PortalState,
  ProgramOfUser,
  ProgramViewer,
} from '../context.ts';
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
 * @throws ServiceError INVALID_ACCESS_TOKEN, the same for any invalid token, another for one whose user has to sign
 *   in again; RATE_LIMITED;
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
  if (isAdmissionOver(deps.config, user.admittedAt, deps.now())) {
    throw new ServiceError(
      'INVALID_ACCESS_TOKEN',
      'The user of this token has to sign in to the portal again, at their organization: then it counts again.',
      { 'WWW-Authenticate': 'Bearer' },
    );
  }
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

/** Whether the client is a program: it sends an access token, and its cookies are ignored. */
export const isProgram = (ctx: Pick<PageContext, 'get'>): boolean =>
  /^bearer /i.test(ctx.get('authorization'));

type ProgramState = Pick<PortalState, 'program'>;
type ProgramMiddleware = (ctx: { state: PortalState }, next: () => Promise<void>) => Promise<void>;

/** The authenticated program. */
export function programOf({ program }: ProgramState): ProgramViewer {
  if (!program) throw new Error('no access token was checked');
  return program;
}

/** The program as a user's. @throws ServiceError FORBIDDEN for a service account */
export function userOf(state: ProgramState): ProgramOfUser {
  const program = programOf(state);
  if (program.kind === 'user') return program;
  throw new ServiceError(
    'FORBIDDEN',
    'A service account can only read. Use the access token of a user whose role allows this.',
  );
}

/** Requires a user whose role has the permission. */
export function requireUserPermission(permission: PartnerPermission): ProgramMiddleware {
  return async ({ state }, next) => {
    const { role } = userOf(state);
    if (!partnerMay(role, permission)) {
      throw new ServiceError(
        'FORBIDDEN',
        `The user of this token has the role ${role}, which does not allow this.`,
      );
    }
    await next();
  };
}

/** Requires a user, or a service account with this scope. */
export function mayRead(scope: ServiceAccountScope): ProgramMiddleware {
  return async ({ state }, next) => {
    const program = programOf(state);
    if (program.kind === 'service' && !program.scopes.includes(scope)) {
      throw new ServiceError('FORBIDDEN', `This service account does not have the scope ${scope}.`);
    }
    await next();
  };
}

/**
 * The mode to read: a service account reads only its own.
 * @param requested undefined for both
 * @throws ServiceError FORBIDDEN for another mode
 */
export function modeToRead(program: ProgramViewer, requested: Mode | undefined): Mode | undefined {
  if (program.kind === 'user') return requested;
  if (requested === undefined || requested === program.mode) return program.mode;
  throw new ServiceError('FORBIDDEN', `This service account only reads ${program.mode} data.`);
}
