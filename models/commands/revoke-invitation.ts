import { ServiceError } from '../../domain/errors.ts';
import type { CommandDeps } from './deps.ts';

/** Takes an invitation back. @throws ServiceError NOT_FOUND for one that is over */
export async function revokeInvitation(
  { models }: Pick<CommandDeps, 'models'>,
  partnerId: string,
  invitationId: string,
): Promise<void> {
  const { deletedCount } = await models.invitations.deleteOne({ partnerId, _id: invitationId });
  if (deletedCount > 0) return;
  throw new ServiceError('NOT_FOUND', 'This invitation is over already.');
}
