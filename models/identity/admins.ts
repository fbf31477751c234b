import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';

/** Nobody approves their own proposal, so one admin alone could do nothing that takes two. */
const fewest = 2;

/**
 * Undoes a change that left fewer than two admins. Of several who change each other at once all are undone:
 * there are two at any time.
 * @throws ServiceError CONFLICT after `undo`, where there are fewer
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
