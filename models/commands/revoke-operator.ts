import type { AdminDoc } from '../schemas/admin.ts';
import { endSessions } from '../sessions.ts';
import type { CommandDeps } from './deps.ts';
import { endInvitations } from './end-invitations.ts';
import { findOperator } from './find-operator.ts';

/**
 * Ends an operator with all tokens, sessions and open invitations, at once. Revoking again keeps the first time.
 * @throws ServiceError NOT_FOUND
 */
export async function revokeOperator(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  operatorId: string,
): Promise<AdminDoc> {
  await models.admins.updateOne(
    { _id: operatorId, revokedAt: null },
    { $set: { revokedAt: new Date(now()) } },
  );
  // The address may be another operator's from now on.
  const user = await models.users
    .findOneAndUpdate(
      { adminId: operatorId, disabledAt: null },
      {
        $set: { disabledAt: new Date(now()), email: null, passwordHash: null, secondFactor: null },
      },
    )
    .lean();
  if (user) await endSessions({ models }, user._id);
  await endInvitations({ models }, operatorId);
  return await findOperator(models, operatorId);
}
