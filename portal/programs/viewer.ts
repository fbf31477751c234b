import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type PartnerPermission,
  partnerMay,
  type ServiceAccountScope,
} from '../../domain/partners.ts';
import type { PortalState, ProgramOfUser, ProgramViewer } from '../context.ts';

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
export function may(permission: PartnerPermission): ProgramMiddleware {
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
