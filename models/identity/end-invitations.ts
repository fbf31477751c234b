import type { Models } from '../schemas/index.ts';

/** Takes back what a user or an operator invited who may not any more. */
export async function endInvitations(
  { models }: { models: Models },
  invitedBy: string,
): Promise<void> {
  await models.invitations.deleteMany({ invitedBy });
}
