import { findOperator } from '../identity/operators.ts';
import type { OperatorDoc } from '../schemas/people.ts';
import { type Page, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';

/** A page of all operators. */
export const readOperators = (
  { models }: ModelDeps,
  query: PageQuery,
): Promise<Page<OperatorDoc>> => page(models.operators, [], query, (operator) => operator);

export type Operators = Awaited<ReturnType<typeof readOperators>>;

/** An operator with their user account in the portal. @throws ServiceError NOT_FOUND */
export async function readOperator({ models }: ModelDeps, operatorId: string) {
  const operator = await findOperator(models, operatorId);
  const user = await models.users.findOne({ operatorId, disabledAt: null });
  return { operator, user };
}

export type OperatorDetails = Awaited<ReturnType<typeof readOperator>>;
