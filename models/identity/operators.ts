import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { OperatorDoc } from '../schemas/people.ts';

/** @throws ServiceError NOT_FOUND */
export async function findOperator(models: Models, operatorId: string): Promise<OperatorDoc> {
  const operator = await models.operators.findById(operatorId);
  if (operator) return operator;
  throw new ServiceError('NOT_FOUND', `There is no operator ${JSON.stringify(operatorId)}.`);
}

/**
 * Nobody approves their own proposal, so that a single admin could do nothing that needs approval.
 */
const fewest = 2;

/**
 * Undoes a change that left fewer than two admins. Of concurrent changes that would, all are
 * undone, so that there are always two.
 * @throws ServiceError CONFLICT after calling `undo`, if there are fewer
 */
export async function requireTwoAdmins(
  models: Models,
  undo: () => Promise<unknown>,
): Promise<void> {
  const admins = await models.operators.find({ role: 'admin', revokedAt: null }).limit(fewest);
  if (admins.length === fewest) return;
  await undo();
  throw new ServiceError(
    'CONFLICT',
    'The service needs two admins. Create another one first, or run create-admin on the database host.',
  );
}

/** The names of operators and partners' users, by id. */
export async function namesOfActors(
  models: Models,
  actorIds: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(actorIds.filter((id) => id !== null))];
  const among = { _id: { $in: ids } };
  const [admins, users] = await Promise.all([
    models.operators.find(among, { name: 1 }),
    models.users.find(among, { name: 1 }),
  ]);
  return new Map([...admins, ...users].map(({ _id, name }) => [_id, name]));
}
