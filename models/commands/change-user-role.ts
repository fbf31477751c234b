import type { PartnerRole } from '../../domain/partner-roles.ts';
import type { CommandDeps } from './deps.ts';
import { endInvitations } from './end-invitations.ts';
import { findUser, requireOwner } from './find-user.ts';

/**
 * Gives a partner's user another role, from the next page on. Whom they invited as an owner, and who
 * has not come yet, is invited no more.
 * @throws ServiceError NOT_FOUND, or CONFLICT for the last owner
 */
export async function changeUserRole(
  { models }: Pick<CommandDeps, 'models'>,
  partnerId: string,
  userId: string,
  role: PartnerRole,
): Promise<void> {
  const { role: before } = await findUser(models, partnerId, userId);
  await models.users.updateOne({ _id: userId, partnerId }, { $set: { role } });
  await requireOwner(models, partnerId, () =>
    models.users.updateOne({ _id: userId, partnerId }, { $set: { role: before } }),
  );
  if (role !== 'owner') await endInvitations({ models }, userId);
}
