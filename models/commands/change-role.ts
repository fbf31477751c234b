import { ServiceError } from '../../domain/errors.ts';
import type { Role } from '../../domain/operator-roles.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import type { CommandDeps } from './deps.ts';
import { findOperator } from './find-operator.ts';

/**
 * Gives an operator another role, from the next request on. The role that it is changed from is part
 * of the write, since that is what makes it a raise or not.
 * @throws ServiceError NOT_FOUND, or CONFLICT when the role is another one by now
 */
export async function changeRole(
  { models }: Pick<CommandDeps, 'models'>,
  operatorId: string,
  { from, to }: { from: Role; to: Role },
): Promise<AdminDoc> {
  await models.admins.updateOne({ _id: operatorId, role: from }, { $set: { role: to } });
  const operator = await findOperator(models, operatorId);
  if (operator.role === to) return operator;
  throw new ServiceError(
    'CONFLICT',
    `${operatorId} is ${operator.role} by now. Look, and ask again.`,
  );
}
