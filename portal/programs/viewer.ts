import { ServiceError } from '../../domain/errors.ts';
import { type PartnerPermission, partnerMay } from '../../domain/partner-roles.ts';
import type { PortalState, ProgramViewer } from '../context.ts';

/** In whose name a program asks. */
export function programOf({ program }: Pick<PortalState, 'program'>): ProgramViewer {
  if (!program) throw new Error('nobody was asked for an access token');
  return program;
}

/** Lets pass whose role allows it. */
export function may(permission: PartnerPermission) {
  return async ({ state }: { state: PortalState }, next: () => Promise<void>): Promise<void> => {
    const { role } = programOf(state);
    if (!partnerMay(role, permission)) {
      throw new ServiceError(
        'FORBIDDEN',
        `The role of this token’s user is ${role}, which may not do this.`,
      );
    }
    await next();
  };
}
