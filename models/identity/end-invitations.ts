import type { Models } from '../schemas/index.ts';

/** Revokes the invitations of a user or operator who may no longer invite. */
export async function endInvitations(
  { models }: { models: Models },
  invitedBy: string,
): Promise<void> {
  await models.invitations.deleteMany({ invitedBy });
}
