import { ServiceError } from '../../domain/errors.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import type { Models } from '../schemas/index.ts';

/** @throws ServiceError NOT_FOUND */
export async function findOperator(models: Models, operatorId: string): Promise<AdminDoc> {
  const operator = await models.admins.findById(operatorId).lean();
  if (operator) return operator;
  throw new ServiceError('NOT_FOUND', `There is no operator ${JSON.stringify(operatorId)}.`);
}
