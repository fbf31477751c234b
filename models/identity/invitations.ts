import { ServiceError } from '../../domain/errors.ts';
import { correspondingId } from '../../platform/ids.ts';
import type { InvitationDoc } from '../schemas/invitation.ts';

/** The id of the user that an invitation creates: the same however often it is accepted. */
export const invitedUserId = ({ _id }: InvitationDoc): string => correspondingId('user', _id);

export function invitationIsOver(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This invitation is no longer valid: it was accepted or revoked, or is older than a week.',
  );
}
