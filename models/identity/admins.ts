import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';

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
