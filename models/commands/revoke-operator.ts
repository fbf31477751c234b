import type { AdminDoc } from '../schemas/admin.ts';
import type { CommandDeps } from './deps.ts';
import { findOperator } from './find-operator.ts';

/**
 * Ends an operator with all tokens, at once. Revoking again keeps the first time.
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
  return await findOperator(models, operatorId);
}
