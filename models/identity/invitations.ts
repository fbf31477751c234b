import { ServiceError } from '../../domain/errors.ts';
import { newToken } from '../../platform/hashing.ts';
import { correspondingId } from '../../platform/ids.ts';
import type { InvitationDoc } from '../schemas/people.ts';

/** How long an invitation can be accepted. */
export const invitationMs = 7 * 24 * 3_600_000;

/**
 * The token in the link of an invitation. It begins with the invitation's id, so that the link can still
 * show how the invitation ended after it was deleted.
 */
export const newInvitationToken = (invitationId: string): string => `${invitationId}-${newToken()}`;

/** The id of the user that an invitation creates: the same however often it is accepted. */
export const invitedUserId = ({ _id }: Pick<InvitationDoc, '_id'>): string =>
  correspondingId('user', _id);

export function invitationIsOver(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This invitation is no longer valid: it was accepted or revoked, or is older than a week.',
  );
}
