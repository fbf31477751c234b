import type { CommandDeps } from './deps.ts';

/** Takes back what a user or an operator invited who may not any more. */
export async function endInvitations(
  { models }: Pick<CommandDeps, 'models'>,
  invitedBy: string,
): Promise<void> {
  await models.invitations.deleteMany({ invitedBy });
}
