import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { OperatorDoc } from '../schemas/people.ts';

/** @throws ServiceError NOT_FOUND */
export async function findOperator(models: Models, operatorId: string): Promise<OperatorDoc> {
  const operator = await models.operators.findById(operatorId);
  if (operator) return operator;
  throw new ServiceError('NOT_FOUND', `There is no operator ${JSON.stringify(operatorId)}.`);
}
